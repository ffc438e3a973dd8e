package charts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The chart has no value for the grace period. So the program adds it as a second line of
// priorityClassName, which only works as long as the chart does not quote that value.
func TestAPISIXGracePeriodCoversPreStopSleep(t *testing.T) {
	w := newWorld(t, newProgram(t, platforms[1].keys))
	found, ok := find(w.charts, "Deployment", "apisix", "apisix")
	require.True(t, ok)
	pod := as[pods](found).Spec.Template.Spec
	require.NotNil(t, pod.TerminationGracePeriodSeconds)
	grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second
	require.Contains(t, pod.Containers[0].Lifecycle.PreStop.Exec.Command, "sleep 30",
		"another preStop needs another grace period")
	assert.Greater(t, grace, 30*time.Second+30*time.Second, "preStop and the longest request")
	assert.Empty(t, pod.PriorityClassName)
}

// The program adds the probe in the same way, as a second line of the value image.pullPolicy.
func TestAPISIXStartupProbeRunsEverySecond(t *testing.T) {
	w := newWorld(t, newProgram(t, platforms[1].keys))
	found, ok := find(w.charts, "Deployment", "apisix", "apisix")
	require.True(t, ok)
	container := as[pods](found).Spec.Template.Spec.Containers[0]
	assert.Equal(t, "IfNotPresent", string(container.ImagePullPolicy))
	require.NotNil(t, container.StartupProbe)
	assert.Equal(t, container.ReadinessProbe.HTTPGet, container.StartupProbe.HTTPGet,
		"the same probe")
	assert.Equal(t, int32(1), container.StartupProbe.PeriodSeconds)
}

// The policy selects the controller, the admin API's only client, by these labels of the charts.
func TestAPISIXChartsHaveLabelsThatPolicySelects(t *testing.T) {
	w := newWorld(t, newProgram(t, platforms[1].keys))
	for _, name := range []string{"apisix", "apisix-ingress-controller"} {
		found, ok := find(w.charts, "Deployment", "apisix", name)
		require.True(t, ok)
		assert.Equal(t, name, as[pods](found).Spec.Template.Labels["app.kubernetes.io/name"],
			"the policy selects by it")
	}
}
