package health

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// decode reads an object from YAML.
func decode[T any](t *testing.T, text string) *T {
	t.Helper()
	out := new(T)
	require.NoError(t, yaml.Unmarshal([]byte(text), out))
	return out
}

func TestFactsOfANode(t *testing.T) {
	node := decode[corev1.Node](t, `
metadata: {name: node-1, deletionTimestamp: "2026-01-01T00:00:00Z", labels: {node-role.kubernetes.io/control-plane: "true"}}
spec: {unschedulable: true, taints: [{key: dedicated}, {key: node.kubernetes.io/not-ready}]}
status:
  addresses: [{type: Hostname, address: n}, {type: InternalIP, address: 10.10.0.11}, {type: InternalIP, address: "fd00::1"}]
  conditions: [{type: MemoryPressure, status: "False"}, {type: DiskPressure, status: "True", reason: R, message: M}, {type: Ready, status: "True", reason: K}]
`)
	assert.Equal(t, nodeFacts{
		Name: "node-1", Server: true, InternalIP: "10.10.0.11", Cordoned: true, Deleting: true, Startup: []string{"node.kubernetes.io/not-ready"},
		Ready:   condition{Type: "Ready", Status: "True", Reason: "K"},
		Trouble: []condition{{Type: "DiskPressure", Status: "True", Reason: "R", Message: "M"}},
	}, factsOfNode(node))
	assert.Equal(t, nodeFacts{Name: "m"}, factsOfNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "m"}}))
}

func TestAHeartbeatIsARenewedLeaseOrAFreshStatus(t *testing.T) {
	now := time.Unix(1000, 0)
	w := &nodesWatch{now: func() time.Time { return now }, renewed: map[string]renewal{}}
	lease := func(at time.Time) []coordinationv1.Lease {
		return []coordinationv1.Lease{{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: at}}}}
	}
	named := func(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	assert.Equal(t, heartbeatNone, w.heartbeat(named("n"), nil))
	assert.Equal(t, heartbeatNone, w.heartbeat(named("n"), []coordinationv1.Lease{{ObjectMeta: metav1.ObjectMeta{Name: "n"}}}))
	assert.Equal(t, heartbeatNone, w.heartbeat(named("other"), lease(now)))
	assert.Equal(t, heartbeatFresh, w.heartbeat(named("n"), lease(now.Add(-45*time.Second))))
	assert.Equal(t, heartbeatStale, w.heartbeat(named("m"), []coordinationv1.Lease{{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: now.Add(-46 * time.Second)}}}}))

	w = &nodesWatch{now: func() time.Time { return now }, renewed: map[string]renewal{}}
	old := now.Add(-time.Hour)
	assert.Equal(t, heartbeatStale, w.heartbeat(named("n"), lease(old)), "a host whose clock is an hour behind, at first sight")
	assert.Equal(t, heartbeatStale, w.heartbeat(named("n"), lease(old)))
	now = now.Add(10 * time.Second)
	assert.Equal(t, heartbeatFresh, w.heartbeat(named("n"), lease(old.Add(10*time.Second))), "and once its Lease has moved")
	now = now.Add(45 * time.Second)
	assert.Equal(t, heartbeatFresh, w.heartbeat(named("n"), lease(old.Add(10*time.Second))))
	now = now.Add(time.Second)
	assert.Equal(t, heartbeatStale, w.heartbeat(named("n"), lease(old.Add(10*time.Second))), "until it stops moving")

	returned := named("n")
	returned.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, LastHeartbeatTime: metav1.Time{Time: now}}}
	assert.Equal(t, heartbeatFresh, w.heartbeat(returned, nil), "the Lease of a returned Node is made by its next renewal")
	now = now.Add(leaseFresh + time.Second)
	assert.Equal(t, heartbeatNone, w.heartbeat(returned, nil), "a status is fresh only for as long as a Lease")
}

func TestFactsOfAPod(t *testing.T) {
	pod := decode[corev1.Pod](t, `
metadata: {name: p, uid: u1}
spec: {nodeName: agent-1}
status:
  conditions: [{type: Ready, status: "False"}, {type: PodScheduled, status: "True", reason: S, message: M}]
  initContainerStatuses: [{name: init, image: "a:1", state: {terminated: {exitCode: 0}}}]
  containerStatuses:
    - name: c
      image: "b:1"
      state: {waiting: {reason: CrashLoopBackOff, message: "read 10.0.0.1:55->10.0.0.2:80: reset"}}
      lastState: {terminated: {exitCode: 2, reason: Error, message: " bad flag\n"}}
    - {name: running, image: "c:1", state: {running: {}}}
`)
	events := []corev1.Event{
		event("u1", "Failed", `Failed to pull image "b:1": x`, 3, 10),
		event("u1", "Failed", `Failed to pull image "other:1": x`, 7, 20),
		event("u1", "Failed", "Error: ErrImagePull", 9, 30),
		event("u1", "BackOff", `Failed to pull image "b:1": not the reason`, 9, 25),
		event("u2", "Failed", `Failed to pull image "b:1": of a Pod before`, 100, 40),
		{Type: "Normal", InvolvedObject: corev1.ObjectReference{UID: "u1"}, Reason: "Failed", Message: `Failed to pull image "b:1"`},
	}
	assert.Equal(t, podFacts{
		Name: "p", Node: "agent-1", Scheduled: condition{Type: "PodScheduled", Status: "True", Reason: "S", Message: "M"},
		Containers: []containerFacts{{
			Name: "c", Image: "b:1", Reason: "CrashLoopBackOff", Message: "read 10.0.0.2:80: reset", Exit: "exit code 2 (Error): bad flag", Pulls: 3,
		}},
		Events: []string{"Failed: Error: ErrImagePull", `BackOff: Failed to pull image "b:1": not the reason`, `Failed: Failed to pull image "other:1": x`},
	}, factsOfPod(pod, events))
	assert.Empty(t, exitOf(nil))
	assert.Equal(t, "exit code 1 (Error)", exitOf(&corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}))
}

func TestTheTwoReasonsAfterAFailedPullAreOneTrouble(t *testing.T) {
	shows := func(reason string) string {
		return podFacts{Containers: []containerFacts{{Name: "c", Reason: reason}}}.shows()
	}
	assert.Equal(t, shows("ErrImagePull"), shows("ImagePullBackOff"))
	assert.NotEqual(t, shows("ErrImagePull"), shows("CrashLoopBackOff"))
}

func event(uid, reason, message string, count int32, second int64) corev1.Event {
	return corev1.Event{
		Type: "Warning", Reason: reason, Message: message, Count: count, LastTimestamp: metav1.Unix(second, 0),
		InvolvedObject: corev1.ObjectReference{UID: types.UID(uid)},
	}
}

func TestEventsAreCountedAndTimedInBothForms(t *testing.T) {
	series := corev1.Event{Series: &corev1.EventSeries{Count: 4, LastObservedTime: metav1.NewMicroTime(time.Unix(9, 0))}, Count: 2}
	assert.Equal(t, 4, eventCount(series))
	assert.Equal(t, time.Unix(9, 0), eventTime(series))
	assert.Equal(t, 1, eventCount(corev1.Event{}))
	assert.Equal(t, 2, eventCount(corev1.Event{Count: 2}))
	assert.Equal(t, time.Unix(7, 0), eventTime(corev1.Event{EventTime: metav1.NewMicroTime(time.Unix(7, 0))}))
	same := []corev1.Event{event("u", "A", "x", 1, 1), event("u", "A", "x", 1, 2), event("u", "B", "x", 1, 3)}
	assert.Equal(t, []string{"B: x", "A: x"}, eventLines(warningsOf(same, "u")))
}

func TestWorkloadsAreNamedByKind(t *testing.T) {
	ref, err := parseWorkload("metallb-system/deployment/controller")
	require.NoError(t, err)
	assert.Equal(t, workloadRef{namespace: "metallb-system", kind: "Deployment", name: "controller"}, ref)
	for _, bad := range []string{"", "a/Deployment", "a/Deployment/b/c", "/Deployment/b", "a//b", "a/Deployment/", "a/Pod/b"} {
		_, err := parseWorkload(bad)
		require.Errorf(t, err, "%q", bad)
	}
}

func TestRulesThatCoverACreation(t *testing.T) {
	rule := func(operation, group, version, resource string) admissionv1.RuleWithOperations {
		return admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.OperationType(operation)},
			Rule:       admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Resources: []string{resource}},
		}
	}
	covers := func(r admissionv1.RuleWithOperations) bool {
		return coversCreate(r, "metallb.io", "v1beta1", "ipaddresspools")
	}
	assert.True(t, covers(rule("CREATE", "metallb.io", "v1beta1", "ipaddresspools")))
	assert.True(t, covers(rule("*", "*", "*", "*")))
	assert.True(t, covers(rule("CREATE", "metallb.io", "v1beta1", "*/*")))
	assert.False(t, covers(rule("DELETE", "metallb.io", "v1beta1", "ipaddresspools")))
	assert.False(t, covers(rule("CREATE", "other.io", "v1beta1", "ipaddresspools")))
	assert.False(t, covers(rule("CREATE", "metallb.io", "v1", "ipaddresspools")))
	assert.False(t, covers(rule("CREATE", "metallb.io", "v1beta1", "bgppeers")))
	assert.True(t, coversCreate(rule("CREATE", "metallb.io", "v1beta1", "bgppeers"), "metallb.io", "v1beta1", ""), "an unknown resource is left to the dry run")
}

func TestBundlesAreComparedWithTheSecret(t *testing.T) {
	assert.Equal(t, "empty", bundleState([]byte(" \n"), []byte("ca")))
	assert.Equal(t, "set", bundleState([]byte("ca"), nil))
	assert.Equal(t, "equal", bundleState([]byte("ca\n"), []byte("ca")))
	assert.Equal(t, "different", bundleState([]byte("ca"), []byte("cb")))
}

func TestTheTargetOfAHook(t *testing.T) {
	port := int32(8443)
	assert.Empty(t, hookTarget(admissionv1.WebhookClientConfig{}))
	assert.Equal(t, "n/s:443", hookTarget(admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "n", Name: "s"}}))
	assert.Equal(t, "n/s:8443", hookTarget(admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "n", Name: "s", Port: &port}}))
}

func TestTheSizeOfAPool(t *testing.T) {
	for _, c := range []struct {
		addresses []string
		avoid     bool
		want      int64
	}{
		{[]string{"10.10.0.200-10.10.0.210"}, false, 11},
		{[]string{"10.10.0.200 - 10.10.0.200"}, false, 1},
		{[]string{"10.10.0.0/24"}, false, 256},
		{[]string{"10.10.0.7/30"}, false, 4},
		{[]string{"10.0.0.0/32", "10.0.1.0-10.0.1.1"}, false, 3},
		{[]string{"10.255.255.250-11.0.0.5"}, false, 12},
		{[]string{"fd00::10-fd00::1f"}, false, 16},
		{[]string{"fd00::/64"}, false, 0},
		{[]string{"fd00::/96"}, false, 1 << 32},
		{[]string{"fd00::-fd00::1:0:0"}, false, 0},
		{[]string{"x-y"}, false, 0},
		{[]string{"10.10.0.0/24"}, true, 0},
		{[]string{"10.10.0.210-10.10.0.200"}, false, 0},
		{[]string{"10.10.0.1-fd00::1"}, false, 0},
		{[]string{"nonsense"}, false, 0},
		{[]string{"10.10.0.1-x"}, false, 0},
		{[]string{"x-10.10.0.1"}, false, 0},
		{nil, false, 0},
	} {
		assert.Equal(t, c.want, poolSize(c.addresses, c.avoid), "%v", c.addresses)
	}
}

func TestAStateIsNewerThanWhatItIsAbout(t *testing.T) {
	meta := func(version string, spec, status int64) metav1.ObjectMeta {
		m := metav1.ObjectMeta{ResourceVersion: version, CreationTimestamp: metav1.Unix(1, 0)}
		specTime, statusTime := metav1.Unix(spec, 0), metav1.Unix(status, 0)
		m.ManagedFields = []metav1.ManagedFieldsEntry{{Time: &specTime}, {Time: &statusTime, Subresource: "status"}, {Subresource: "status"}}
		return m
	}
	after := func(state, other metav1.ObjectMeta) bool { return (&stateObject{ObjectMeta: state}).after(other) }
	assert.True(t, after(meta("20", 1, 5), meta("19", 100, 0)), "a later write is newer whatever the clocks say")
	assert.False(t, after(meta("19", 100, 5), meta("20", 100, 0)), "the state's own specification does not count")
	assert.True(t, after(meta("19", 1, 100), meta("20", 100, 500)), "nor the pool's status")
	assert.True(t, after(meta("19", 1, 99), meta("20", 100, 0)), "times are in seconds")
	assert.False(t, after(meta("19", 1, 98), meta("20", 100, 0)))
	assert.False(t, after(meta("19", 1, 98), meta("19", 100, 0)))
	assert.False(t, after(meta("x", 1, 98), meta("1", 100, 0)))
	assert.False(t, after(meta("99", 1, 98), meta("x", 100, 0)))
	created := metav1.ObjectMeta{ResourceVersion: "5", CreationTimestamp: metav1.Unix(100, 0)}
	assert.False(t, after(metav1.ObjectMeta{ResourceVersion: "4"}, created), "a state without a status")
	assert.True(t, after(meta("4", 1, 100), created), "an object without managed fields has its creation")
}
