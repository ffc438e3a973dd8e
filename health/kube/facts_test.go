package kube

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/observe"
	"strata/internal/ssh/tunnel"
)

func TestPodFactsHaveWaitingContainersAndFailedPulls(t *testing.T) {
	pod := healthtest.Decode[corev1.Pod](t, `
metadata: {name: p, uid: u1}
spec: {nodeName: agent-1}
status:
  conditions: [{type: Ready, status: "False"}, {type: PodScheduled, status: "True", reason: S, message: M}]
  initContainerStatuses: [{name: init, image: "a:1", state: {terminated: {exitCode: 0}}}]
  containerStatuses:
    - name: c
      image: "b:1"
      state: {waiting: {reason: CrashLoopBackOff, message: "read 10.0.0.1:55->10.0.0.2:80: reset"}}
      lastState: {terminated: {exitCode: 2, reason: Error, message: " bad flag\n", finishedAt: "1970-01-01T00:00:12Z"}}
    - {name: running, image: "c:1", state: {running: {}}}
`)
	events := []corev1.Event{
		event("u1", "Failed", `Failed to pull image "b:1": x`, 3, 10),
		event("u1", "Failed", `Failed to pull image "other:1": x`, 7, 20),
		event("u1", "Failed", "Error: ErrImagePull", 9, 30),
		event("u1", "BackOff", `Failed to pull image "b:1": not the reason`, 9, 25),
		event("u2", "Failed", `Failed to pull image "b:1": of a Pod before`, 100, 40),
		{Type: "Normal", InvolvedObject: corev1.ObjectReference{UID: "u1"}, Reason: "Failed",
			Message: `Failed to pull image "b:1"`},
	}
	assert.Equal(t, podFacts{
		Name: "p", Node: "agent-1", Scheduled: Condition{Type: "PodScheduled", Status: "True",
			Reason: "S", Message: "M"},
		Containers: []containerFacts{{
			Name: "c", Image: "b:1", Reason: "CrashLoopBackOff", Message: "read 10.0.0.2:80: reset",
			Exit: "exit code 2 (Error): bad flag", Pulls: 3,
			failed: time.Unix(12, 0), // the exit, which came after the failed pull
		}},
		Events: []string{"Failed: Error: ErrImagePull",
			`BackOff: Failed to pull image "b:1": not the reason`,
			`Failed: Failed to pull image "other:1": x`},
	}, factsOfPod(pod, events))
	events[0].LastTimestamp = metav1.Unix(13, 0)
	assert.Equal(t, time.Unix(13, 0), factsOfPod(pod, events).Containers[0].failed)
	assert.Empty(t, exitOf(nil))
	assert.Equal(t, "exit code 1 (Error)",
		exitOf(&corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}))
}

// The kubelet waits for up to 5 minutes before it tries again. Users may fix the cause and run an
// update in that time.
func TestPullFailureBeforeGateStartIsOld(t *testing.T) {
	now := time.Unix(100, 0)
	seen := observe.NewStable(func() time.Time { return now })
	old := func(failed int64) bool {
		facts := WorkloadFacts{Namespace: "apps",
			Pods: []podFacts{{Name: "shop",
				Containers: []containerFacts{{Name: "shop", Reason: pullBackOff,
					failed: time.Unix(failed, 0)}, {Name: "other"}}}}}
		facts.times(seen)
		assert.False(t, facts.Pods[0].Containers[1].Old, "it has not failed")
		return facts.Pods[0].Containers[0].Old
	}
	assert.True(t, old(70))
	now = now.Add(time.Minute)
	assert.True(t, old(70))
	assert.False(t, old(159))
}

func TestUnreadyContainerReportsProbeFailure(t *testing.T) {
	pod := healthtest.Decode[corev1.Pod](t, `
metadata: {name: p, uid: u1}
status:
  containerStatuses:
    - {name: c, image: "b:1", ready: false, state: {running: {}}}
    - {name: silent, image: "b:1", ready: false, state: {running: {}}}
    - {name: ready, image: "b:1", ready: true, state: {running: {}}}
`)
	of := func(container, reason, message string, second int64) corev1.Event {
		e := event("u1", reason, message, 1, second)
		e.InvolvedObject.FieldPath = "spec.containers{" + container + "}"
		return e
	}
	facts := factsOfPod(pod, []corev1.Event{
		of("c", "Unhealthy", "Readiness probe failed: old", 1),
		of("c", "Unhealthy", "Readiness probe failed: new", 2),
		of("ready", "Unhealthy", "Readiness probe failed: once", 3), of("c", "Other", "x", 4),
	})
	assert.Equal(t, []containerFacts{{Name: "c", Image: "b:1", Reason: "NotReady",
		Message: "Readiness probe failed: new"}}, facts.Containers)
}

func TestErrImagePullAndImagePullBackOffAreOneFault(t *testing.T) {
	shows := func(reason string) string {
		return podFacts{Containers: []containerFacts{{Name: "c", Reason: reason}}}.shows()
	}
	assert.Equal(t, shows("ErrImagePull"), shows("ImagePullBackOff"))
	assert.NotEqual(t, shows("ErrImagePull"), shows("CrashLoopBackOff"))
}

func event(uid, reason, message string, count int32, second int64) corev1.Event {
	return corev1.Event{
		Type: "Warning", Reason: reason, Message: message, Count: count,
		LastTimestamp:  metav1.Unix(second, 0),
		InvolvedObject: corev1.ObjectReference{UID: types.UID(uid)},
	}
}

func TestEventCountAndTimeSupportSeries(t *testing.T) {
	series := corev1.Event{Series: &corev1.EventSeries{Count: 4,
		LastObservedTime: metav1.NewMicroTime(time.Unix(9, 0))}, Count: 2}
	assert.Equal(t, 4, eventCount(series))
	assert.Equal(t, time.Unix(9, 0), eventTime(series))
	assert.Equal(t, 1, eventCount(corev1.Event{}))
	assert.Equal(t, 2, eventCount(corev1.Event{Count: 2}))
	assert.Equal(t, time.Unix(7, 0), eventTime(
		corev1.Event{EventTime: metav1.NewMicroTime(time.Unix(7, 0))}))
	same := []corev1.Event{event("u", "A", "x", 1, 1), event("u", "A", "x", 1, 2),
		event("u", "B", "x", 1, 3)}
	assert.Equal(t, []string{"B: x", "A: x"}, EventLines(WarningsOf(same, "u")))
}

func TestParseWorkloadRequiresNamespaceKindAndName(t *testing.T) {
	ref, err := ParseWorkload("metallb-system/deployment/controller")
	require.NoError(t, err)
	assert.Equal(t, WorkloadRef{Namespace: "metallb-system", Kind: "Deployment",
		Name: "controller"}, ref)
	for _, bad := range []string{"", "a/Deployment", "a/Deployment/b/c", "/Deployment/b", "a//b", "a/Deployment/", "a/Pod/b"} {
		_, err := ParseWorkload(bad)
		require.Errorf(t, err, "%q", bad)
	}
}

// A fault of the tunnel is not the API server's, and must not be reported as "the API server is not
// listening".
func TestTunnelFaultIsNotBlamedOnServer(t *testing.T) {
	down := &tunnel.DownError{Address: "127.0.0.1:1080",
		Why: "jump host bastion:22: connection refused"}
	f := newFault("10.10.0.11:6443", &url.Error{Op: "Get", URL: "https://10.10.0.11:6443/readyz",
		Err: down})
	assert.Equal(t, faultTunnel, f.Kind)
	for _, f.Existing = range []bool{false, true} {
		v := f.Verdict("api", true)
		assert.Equal(t, "10.10.0.11:6443 is not reached: the tunnel at 127.0.0.1:1080 lets "+
			"nothing through: jump host bastion:22: connection refused", v.Message)
		assert.Equal(t, health.Waiting, v.State, "a jump host comes back")
		assert.Equal(t, down.Cause(), v.Cause)
		assert.Equal(t, down.Hint(), v.Hint)
	}
	assert.Contains(t, observe.DialTrouble(down), "the tunnel at 127.0.0.1:1080")
}

func TestProxyFaultIsNotBlamedOnServer(t *testing.T) {
	down := &tunnel.DownError{Address: "proxy:1080", Why: "connection refused", Foreign: true}
	f := newFault("10.10.0.11:6443", &url.Error{Op: "Get", URL: "https://10.10.0.11:6443/readyz",
		Err: down})
	assert.Equal(t, faultProxy, f.Kind)
	v := f.Verdict("api", true)
	assert.Equal(t, "10.10.0.11:6443 is not reached: the kubeconfig's proxy at proxy:1080 lets "+
		"nothing through: connection refused", v.Message)
	assert.Equal(t, down.Cause(), v.Cause)
	assert.Contains(t, v.Hint, down.Hint())
}

// Recorded digests have full image names. Pods have the short names that users write.
func TestShortImageNamesFindRecordedDigests(t *testing.T) {
	text := `
metadata: {name: p}
spec:
  initContainers: [{name: first, image: "quay.io/a/b:1"}]
  containers:
    - {name: short, image: redis}
    - {name: hub, image: "apache/apisix:3"}
    - {name: tag, image: "docker.io/redis:8"}
    - {name: port, image: "localhost:5000/a/b"}
    - {name: digest, image: "quay.io/a/b:1@sha256:1"}
    - {name: none, image: "quay.io/a/c:1"}
status:
  phase: Running
  initContainerStatuses: [{name: first, imageID: "quay.io/a/b@sha256:first"}]
  containerStatuses: [{name: short, imageID: "sha256:short"}]
`
	recorded := map[string][]string{
		"quay.io/a/b:1": {"1"}, "docker.io/library/redis:latest": {"2"},
		"docker.io/apache/apisix:3": {"3"}, "localhost:5000/a/b:latest": {"5"},
		"quay.io/a/b@sha256:1": {"6"}, "docker.io/library/redis:8": {},
	}
	pod := healthtest.Decode[corev1.Pod](t, text)
	assert.Equal(t, []runningImage{
		{Pod: "p", Container: "first", Image: "quay.io/a/b:1", ID: "quay.io/a/b@sha256:first",
			Expected: []string{"1"}},
		{Pod: "p", Container: "short", Image: "redis", ID: "sha256:short", Expected: []string{"2"}},
		{Pod: "p", Container: "hub", Image: "apache/apisix:3", Expected: []string{"3"}},
		{Pod: "p", Container: "port", Image: "localhost:5000/a/b", Expected: []string{"5"}},
	}, imagesOf(pod, recorded))
	for _, phase := range []corev1.PodPhase{corev1.PodFailed, corev1.PodSucceeded} {
		pod.Status.Phase = phase
		assert.Empty(t, imagesOf(pod, recorded), "an evicted Pod stays for its record")
	}
	pod.Status.Phase, pod.DeletionTimestamp = corev1.PodRunning, &metav1.Time{}
	assert.Empty(t, imagesOf(pod, recorded), "it is about to go")
}
