package nodes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/healthtest"
	"strata/health/kube"
	"strata/internal/kube/apiserver"
)

func TestNodeFactsHaveRoleConditionsAndStartupTaints(t *testing.T) {
	node := healthtest.Decode[corev1.Node](t, `
metadata: {name: node-1, deletionTimestamp: "2026-01-01T00:00:00Z", labels: {node-role.kubernetes.io/control-plane: "true"}}
spec: {unschedulable: true, taints: [{key: dedicated}, {key: node.kubernetes.io/not-ready}]}
status:
  addresses: [{type: Hostname, address: n}, {type: InternalIP, address: 10.10.0.11}, {type: InternalIP, address: "fd00::1"}]
  conditions: [{type: MemoryPressure, status: "False"}, {type: DiskPressure, status: "True", reason: R, message: M}, {type: Ready, status: "True", reason: K}]
`)
	assert.Equal(t, nodeFacts{
		Name: "node-1", Server: true, InternalIP: "10.10.0.11", Cordoned: true, Deleting: true,
		Startup: []string{"node.kubernetes.io/not-ready"},
		Ready:   kube.Condition{Type: "Ready", Status: "True", Reason: "K"},
		Trouble: []kube.Condition{{Type: "DiskPressure", Status: "True", Reason: "R",
			Message: "M"}},
	}, factsOfNode(node, apiserver.NodeSettings{}))
	assert.Equal(t, nodeFacts{Name: "m"},
		factsOfNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "m"}},
			apiserver.NodeSettings{}))
}

func TestHeartbeatIsFreshByLeaseOrRecentNodeStatus(t *testing.T) {
	now := time.Unix(1000, 0)
	w := &Watch{Now: func() time.Time { return now }, Renewed: map[string]Renewal{}}
	lease := func(at time.Time) []coordinationv1.Lease {
		return []coordinationv1.Lease{{ObjectMeta: metav1.ObjectMeta{Name: "n"},
			Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: at}}}}
	}
	named := func(name string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	assert.Equal(t, heartbeatNone, w.heartbeat(named("n"), nil))
	assert.Equal(t, heartbeatNone, w.heartbeat(named("n"),
		[]coordinationv1.Lease{{ObjectMeta: metav1.ObjectMeta{Name: "n"}}}))
	assert.Equal(t, heartbeatNone, w.heartbeat(named("other"), lease(now)))
	assert.Equal(t, heartbeatFresh, w.heartbeat(named("n"), lease(now.Add(-45*time.Second))))
	assert.Equal(t, heartbeatStale, w.heartbeat(named("m"),
		[]coordinationv1.Lease{{ObjectMeta: metav1.ObjectMeta{Name: "m"},
			Spec: coordinationv1.LeaseSpec{
				RenewTime: &metav1.MicroTime{Time: now.Add(-46 * time.Second)}}}}))

	w = &Watch{Now: func() time.Time { return now }, Renewed: map[string]Renewal{}}
	old := now.Add(-time.Hour)
	assert.Equal(t, heartbeatStale, w.heartbeat(named("n"), lease(old)),
		"a host whose clock is an hour behind, at first sight")
	assert.Equal(t, heartbeatStale, w.heartbeat(named("n"), lease(old)))
	now = now.Add(10 * time.Second)
	assert.Equal(t, heartbeatFresh, w.heartbeat(named("n"), lease(old.Add(10*time.Second))),
		"and once its Lease has moved")
	now = now.Add(45 * time.Second)
	assert.Equal(t, heartbeatFresh, w.heartbeat(named("n"), lease(old.Add(10*time.Second))))
	now = now.Add(time.Second)
	assert.Equal(t, heartbeatStale, w.heartbeat(named("n"), lease(old.Add(10*time.Second))),
		"until it stops moving")

	returned := named("n")
	returned.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady,
		LastHeartbeatTime: metav1.Time{Time: now}}}
	assert.Equal(t, heartbeatFresh, w.heartbeat(returned, nil),
		"the Lease of a returned Node is made by its next renewal")
	now = now.Add(leaseFresh)
	assert.Equal(t, heartbeatFresh, w.heartbeat(returned, nil))
	now = now.Add(time.Second)
	assert.Equal(t, heartbeatNone, w.heartbeat(returned, nil),
		"a status is fresh only for as long as a Lease")
}

// Labels and taints that are not configured here are no fault.
func TestNodeFactsReportMissingLabelsAndTaints(t *testing.T) {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "agent-1",
			Labels: map[string]string{"tier": "web", "theirs": "1"}},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "dedicated", Value: "db",
			Effect: corev1.TaintEffectNoSchedule},
			{Key: "theirs", Effect: corev1.TaintEffectNoExecute}}},
	}
	set := apiserver.NodeSettings{Labels: map[string]string{"tier": "db"},
		Taints: []string{"dedicated=db:NoSchedule", "dedicated=db:NoExecute"}}
	assert.Equal(t, apiserver.NodeSettings{Labels: map[string]string{"tier": "db"},
		Taints: []string{"dedicated=db:NoExecute"}}, factsOfNode(node, set).Lacking)
	set = apiserver.NodeSettings{Labels: map[string]string{"tier": "web"},
		Taints: []string{"dedicated=db:NoSchedule"}}
	assert.Zero(t, factsOfNode(node, set).Lacking)
}
