package e2e

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/util/retry"
)

// removal removes one protection from the workload, outside Strata. Without it, a change loses
// requests.
type removal struct {
	name string
	// take removes the protection. env sets variables that make the application's loss visible.
	take func(d *appsv1.Deployment)
	env  map[string]string
	// change replaces Pods; nil means a rollout.
	change func(t *testing.T, w *workloadStory)
}

// removals has each protection, the most important ones first.
var removals = []removal{
	{"readiness probe", func(d *appsv1.Deployment) { // premature activation of new endpoints
		container(d).ReadinessProbe, container(d).StartupProbe = nil, nil
	}, map[string]string{"START_DELAY": "4s"}, nil},
	{"graceful shutdown", func(d *appsv1.Deployment) { // premature shutdown of old endpoints
		container(d).Lifecycle.PreStop.Sleep.Seconds = 2
	}, map[string]string{"DRAIN": "0s", "TAKES": "4s"}, nil},
	{"preStop", func(d *appsv1.Deployment) { container(d).Lifecycle = nil }, nil, nil}, // stale ingress upstream endpoints
	{"grace period", func(d *appsv1.Deployment) {
		container(d).Lifecycle.PreStop.Sleep.Seconds = 2
		grace := int64(3)
		d.Spec.Template.Spec.TerminationGracePeriodSeconds = &grace
	}, map[string]string{"TAKES": "6s"}, nil},
	{"maxUnavailable 0", func(d *appsv1.Deployment) {
		all, none := intstr.FromString("100%"), intstr.FromInt32(0)
		d.Spec.Strategy.RollingUpdate.MaxUnavailable,
			d.Spec.Strategy.RollingUpdate.MaxSurge = &all, &none
	}, map[string]string{"START_DELAY": "4s"}, nil},
	{"second replica", func(d *appsv1.Deployment) {
		alone := int32(1)
		d.Spec.Replicas = &alone
		container(d).Lifecycle.PreStop.Sleep.Seconds = 1
		// The affinity moves the Pod to the node that is drained.
		d.Spec.Template.Spec.Affinity = preferring("agent-1")
	}, map[string]string{"START_DELAY": "4s"}, drainsAgent},
	{"disruption budget", func(d *appsv1.Deployment) {
		container(d).Lifecycle.PreStop.Sleep.Seconds = 1
		d.Spec.Template.Spec.Affinity, d.Spec.Template.Spec.TopologySpreadConstraints = preferring(
			"agent-1"), nil
	}, map[string]string{"START_DELAY": "4s"}, func(t *testing.T, w *workloadStory) {
		budgets := w.client().PolicyV1().PodDisruptionBudgets("apps")
		budget, err := budgets.Get(t.Context(), "shop", metav1.GetOptions{})
		require.NoError(t, err)
		require.NoError(t, budgets.Delete(t.Context(), "shop", metav1.DeleteOptions{}))
		drainsAgent(t, w)
		budget.ResourceVersion, budget.UID = "", ""
		_, err = budgets.Create(t.Context(), budget, metav1.CreateOptions{})
		require.True(t, err == nil || errors.IsAlreadyExists(err), "%v", err)
	}},
}

func container(d *appsv1.Deployment) *corev1.Container {
	return &d.Spec.Template.Spec.Containers[0]
}

// preferring makes Pods prefer a node, as long as it accepts any.
func preferring(name string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 100, Preference: corev1.NodeSelectorTerm{
				MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpIn,
					Values: []string{name},
				}}},
		}}}}
}

func drainsAgent(t *testing.T, w *workloadStory) {
	w.drain(t, "agent-1")
	w.hosts.must("server-1", "k3s kubectl uncordon agent-1")
}

// unprotected returns the removal with a name.
func unprotected(name string) removal {
	return removals[slices.IndexFunc(removals, func(r removal) bool { return r.name == name })]
}

// unprotected removes a protection, makes the change, and restores the protection. It returns the
// number of lost requests.
func (w *workloadStory) unprotected(t *testing.T, r removal, rate int) int {
	t.Helper()
	deployments := w.client().AppsV1().Deployments("apps")
	whole, err := deployments.Get(t.Context(), "shop", metav1.GetOptions{})
	require.NoError(t, err)
	w.edit(t, func(d *appsv1.Deployment) {
		r.take(d)
		for name, value := range r.env {
			setEnv(d, name, value)
		}
	})
	w.rolledOut(t, "apps", "shop")
	sending := w.send(t, "shop", rate)
	sending.phase("before", rate*2, func() {})
	sending.phase("without "+r.name, rate*5, func() {
		if r.change != nil {
			r.change(t, w)
		} else {
			w.edit(t, func(d *appsv1.Deployment) { setEnv(d, "VERSION", "without "+r.name) })
		}
		w.rolledOut(t, "apps", "shop")
	})
	report := sending.end()
	require.Zero(t, report.Phases[0].Lost+lostIn(report.Phases, "before"),
		"it must not lose anything before the change")
	w.edit(t, func(d *appsv1.Deployment) { d.Spec = whole.Spec })
	w.rolledOut(t, "apps", "shop")
	return report.Total.Lost
}

// edit changes the Deployment like a person with kubectl.
func (w *workloadStory) edit(t *testing.T, change func(d *appsv1.Deployment)) {
	t.Helper()
	deployments := w.client().AppsV1().Deployments("apps")
	require.NoError(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		d, err := deployments.Get(t.Context(), "shop", metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(d)
		_, err = deployments.Update(t.Context(), d, metav1.UpdateOptions{})
		return err
	}))
}

func setEnv(d *appsv1.Deployment, name, value string) {
	env := &container(d).Env
	if at := slices.IndexFunc(*env, func(e corev1.EnvVar) bool { return e.Name == name }); at >= 0 {
		(*env)[at].Value = value
		return
	}
	*env = append(*env, corev1.EnvVar{Name: name, Value: value})
}
