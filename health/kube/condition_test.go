package kube

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/observe"
	"strata/tests/gates/fakeapi"
)

func TestConditionLineContainsReasonAndMessage(t *testing.T) {
	assert.Equal(t, "Ready=none", ConditionLine(Condition{}),
		"a controller that has not written it yet")
	assert.Equal(t, "DiskPressure=True (Full) 1 % left",
		ConditionLine(Condition{Type: "DiskPressure", Status: "True", Reason: "Full",
			Message: "1 % left"}))
}

// A controller that has not processed the newest specification still reports Ready for the previous
// one.
func TestConditionOfEarlierGenerationIsStale(t *testing.T) {
	c := Condition{Type: "Accepted", Status: "True", ObservedGeneration: 2}
	assert.False(t, c.Stale(1))
	assert.False(t, c.Stale(2))
	assert.True(t, c.Stale(3))
	assert.Equal(t, "Accepted is True of generation 2, expected generation 3", StaleMessage(c, 3))
	assert.Equal(t, "has no condition Accepted yet", StaleMessage(Condition{Type: "Accepted"}, 1))
	assert.Equal(t, Condition{Type: "Ready", Status: "False"},
		ConditionOf([]Condition{{Type: "Issuing", Status: "True"},
			{Type: "Ready", Status: "False"}}, "Ready"))
	assert.Equal(t, Condition{Type: "Ready"},
		ConditionOf([]Condition{{Type: "Issuing", Status: "True"}}, "Ready"))
}

// An address is ready if its EndpointSlice has no ready condition for it. While its Pod starts, the
// condition is false.
func TestEndpointWithoutReadyConditionIsReady(t *testing.T) {
	ready := func(text string) bool {
		return EndpointReady(
			*healthtest.Decode[discoveryv1.Endpoint](t, text))
	}
	assert.True(t, ready(`addresses: [10.42.0.7]`))
	assert.True(t, ready(`conditions: {ready: true}`))
	assert.False(t, ready(`conditions: {ready: false}`))
}

// A wrong CA may belong to an earlier K3s that is about to be removed, so only a persistent wrong
// CA is Stuck. An unreachable server is never Stuck.
func TestWrongCAIsStuckOnlyIfItPersists(t *testing.T) {
	otherCA := &Fault{Kind: faultUnknownCA, Server: "10.10.0.11:6443"}
	refused := &Fault{Kind: faultRefused, Server: "10.10.0.11:6443"}
	assert.Equal(t, health.Waiting, otherCA.Verdict("api", false).State)
	assert.Equal(t, health.Stuck, otherCA.Verdict("api", true).State)
	assert.Equal(t, health.Waiting, refused.Verdict("api", true).State)
	assert.Contains(t, refused.Verdict("api", true).Hint, "systemctl status k3s")
	refused.Existing = true
	assert.Contains(t, refused.Verdict("api", true).Hint, "start the cluster",
		"there is no login to an existing cluster's host")
}

func TestFaultIsTimedAnewAfterAPIServerAnswered(t *testing.T) {
	now := time.Unix(0, 0)
	seen := observe.NewStable(func() time.Time { return now })
	seconds := func(fault *Fault) int {
		now = now.Add(5 * time.Second)
		facts := APIFault{Fault: fault}
		facts.SetSeconds(seen, "api")
		return facts.Seconds
	}
	refused := &Fault{Kind: faultRefused}
	assert.Equal(t, []int{0, 5, 0, 0},
		[]int{seconds(refused), seconds(refused), seconds(nil), seconds(refused)})
}

func TestClusterRequiresServersAndMarksExistingOne(t *testing.T) {
	_, err := ClusterOf(health.Spec{}, health.Secrets{})
	require.ErrorContains(t, err, "servers: empty")
	c := fakeapi.New(t, 1)
	all, err := ClusterOf(health.Spec{Servers: c.URLs(), Existing: true},
		health.Secrets{Kubeconfig: c.Kubeconfig()})
	require.NoError(t, err)
	assert.True(t, all.Servers[0].existing)
}

// A namespace that is being deleted may have several conditions. The one about finalizers counts.
func TestTerminatingNamespaceNamesFinalizersAsCause(t *testing.T) {
	condition := func(kind corev1.NamespaceConditionType, status corev1.ConditionStatus,
		message string) corev1.NamespaceCondition {
		return corev1.NamespaceCondition{Type: kind, Status: status, Message: message}
	}
	assert.Equal(t, ": a finalizer", heldBy([]corev1.NamespaceCondition{
		condition(corev1.NamespaceContentRemaining, corev1.ConditionTrue, "pods"),
		condition(corev1.NamespaceFinalizersRemaining, corev1.ConditionTrue, "a finalizer"),
	}))
	assert.Empty(t, heldBy([]corev1.NamespaceCondition{
		condition(corev1.NamespaceFinalizersRemaining, corev1.ConditionFalse,
			"All content removed")}))
	assert.Empty(t, heldBy([]corev1.NamespaceCondition{condition("Other", corev1.ConditionTrue,
		"what does not hold it")}))
}

// A newer kubelet may report a reason that is unknown here. The gate then waits for the Pod and
// invents no cause.
func TestUnknownWaitingReasonIsNoPodFault(t *testing.T) {
	pod := podFacts{Name: "web-1", Containers: []containerFacts{{Name: "web",
		Reason: "OfANewerKubelet"}}}
	_, found := podTrouble("shop", pod)
	assert.False(t, found)
	pod.Containers[0].Reason = "InvalidImageName"
	_, found = podTrouble("shop", pod)
	assert.True(t, found)
}
