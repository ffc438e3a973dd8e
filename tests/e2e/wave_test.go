package e2e

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"strata/tests/bench"
)

// waveCase is one of the three cases in Wave's discussion of its webhook.
type waveCase struct {
	name string
	// first are the ConfigMaps that exist before the Deployment; second are created after it.
	first, second []string
	// with and without are the numbers of restarted Pods, with and without the webhook.
	with    int
	without [2]int // least and most
	// stuck is true if a Pod is stuck without the webhook, in CreateContainerConfigError.
	stuck bool
}

var waveCases = []waveCase{
	{"a: all is there", []string{"required", "optional"}, nil, 0, [2]int{1, 1}, false},
	// Without the webhook, one restart as in case a, and one for the optional ConfigMap.
	{"b: an optional one comes later", []string{"required"}, []string{"optional"}, 1, [2]int{2, 2}, false},
	// Wave replaces the stuck Pod, unless the kubelet retries in time, as the discussion says.
	{"c: a required one comes later", []string{"optional"}, []string{"required"}, 0,
		[2]int{0, 1}, true},
}

// waveConfiguration is the name of the configuration of Wave's webhook.
const waveConfiguration = "wave-wave-mutating-webhook-configuration"

// Wave is the operator that restarts Pods after changes outside Strata. The story counts the
// restarts with and without its webhook, and asserts that with the webhook no Pod is stuck.
func TestWave(t *testing.T) {
	origin := originOf(t, func(name, _ string) bool { return name == "wave-chart" })
	if origin == "" {
		t.Skip("the bundle has no Wave: it is not published as a module; build the bundle with " +
			"STRATA_WAVE_SOURCE, or with a wave-chart in ORIGINALS")
	}
	t.Log("Wave is " + origin)
	net := network{"stq0", "10.28.0"}
	all := []node{{"server-1", "server", 11}}
	hosts := existingHosts(t, "e2ewv", net, all...)
	sections := platform(hosts, all...)
	sections["ingress"] = map[string]any{"controllers": []any{}}
	sections["argocd"] = map[string]any{"enabled": false}
	delete(sections, "traefik")
	sections["apps"] = map[string]any{"wave": map[string]any{"enabled": true}}
	s := newStack(t, "e2e-wave", sections)
	s.step("the first update succeeds", func(*testing.T) { s.must(s.up()) })
	configurations := s.client().AdmissionregistrationV1().MutatingWebhookConfigurations()
	s.step("with the webhook, Pods wait for their ConfigMaps and start once", func(t *testing.T) {
		for i, c := range waveCases {
			again, stuck := s.waveStarts(t, "with-"+string(rune('a'+i)), c)
			assert.Equal(t, c.with, again, c.name)
			assert.False(t, stuck, "%s: held, not stuck", c.name)
			s.waveResult(t, "with", origin, c, again)
		}
	})
	s.step("without the webhook, Pods restart", func(t *testing.T) {
		sections["apps"] = map[string]any{"wave": map[string]any{"enabled": true, "webhooks": false}}
		s.configure(sections)
		s.must(s.up())
		_, err := configurations.Get(t.Context(), waveConfiguration, metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), err)
		s.waveLeads(t)
		for i, c := range waveCases {
			again, stuck := s.waveStarts(t, "without-"+string(rune('a'+i)), c)
			assert.GreaterOrEqual(t, again, c.without[0], c.name)
			assert.LessOrEqual(t, again, c.without[1], c.name)
			assert.Equal(t, c.stuck, stuck, c.name)
			s.waveResult(t, "without", origin, c, again)
		}
	})
	s.step("health names the missing webhook configuration", func(t *testing.T) {
		sections["apps"] = map[string]any{"wave": map[string]any{"enabled": true}}
		s.configure(sections)
		s.must(s.up())
		require.NoError(t, configurations.Delete(t.Context(), waveConfiguration,
			metav1.DeleteOptions{}))
		s.unhealthy(t, []string{"--gate", "wave-webhook"},
			"does not exist: the API server would call no webhook")
	})
}

// waveLeads waits until one of Wave's present Pods leads. Before that, the lease may belong to a
// Pod that was replaced, and Wave ignores all changes.
func (s *stack) waveLeads(t *testing.T) {
	t.Helper()
	client := s.client()
	require.Eventually(t, func() bool {
		pods, err := client.CoreV1().Pods("wave").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		leases, err := client.CoordinationV1().Leases("wave").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		return slices.ContainsFunc(leases.Items, func(lease coordinationv1.Lease) bool {
			return lease.Spec.HolderIdentity != nil && slices.ContainsFunc(pods.Items,
				func(pod corev1.Pod) bool {
					return pod.DeletionTimestamp == nil &&
						strings.HasPrefix(*lease.Spec.HolderIdentity, pod.Name+"_")
				})
		})
	}, silence, time.Second)
}

// waveResult records how often the Pods of a case started again, and the origin of Wave.
func (s *stack) waveResult(t *testing.T, webhook, origin string, c waveCase, again int) {
	t.Helper()
	result := bench.Most("wave_restarts/"+webhook+"_webhook_"+c.name[:1], "restarts", 0.5, 0,
		[]float64{float64(again)})
	result.Subject = origin
	s.record(t, result)
}

// waveStarts runs a case in namespace default. It returns the number of Pods that started after the
// first one, and whether a Pod was stuck because a ConfigMap was missing.
func (s *stack) waveStarts(t *testing.T, name string, c waveCase) (again int, stuck bool) {
	t.Helper()
	client := s.client()
	made := func(which string) {
		_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name + "-" + which},
			Data:       map[string]string{"KEY": "value"},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	for _, which := range c.first {
		made(which)
	}
	seen := watchStarts(t, client, name)
	_, err := client.AppsV1().Deployments("default").Create(t.Context(), waveDeployment(name),
		metav1.CreateOptions{})
	require.NoError(t, err)
	if slices.Contains(c.first, "required") {
		seen.quiet(t, client, name)
	} else {
		assert.Zero(t, seen.quietWithout(t), "nothing can start without its ConfigMap")
	}
	for _, which := range c.second {
		made(which)
	}
	seen.restartQuiet() // the time before does not count
	seen.quiet(t, client, name)
	return seen.count() - 1, seen.wasStuck()
}

// waveDeployment returns a Deployment that reads a required and an optional ConfigMap.
func waveDeployment(name string) *appsv1.Deployment {
	optional, labels := true, map[string]string{"app": name}
	from := func(which string, optional *bool) corev1.EnvFromSource {
		return corev1.EnvFromSource{ConfigMapRef: &corev1.ConfigMapEnvSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: name + "-" + which},
			Optional:             optional}}
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name,
			Annotations: map[string]string{"wave.pusher.com/update-on-config-change": "true"}},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					TerminationGracePeriodSeconds: new(int64),
					Containers: []corev1.Container{{
						Name: "server", Image: testServer, ImagePullPolicy: corev1.PullIfNotPresent,
						EnvFrom: []corev1.EnvFromSource{from("required", nil),
							from("optional", &optional)},
					}},
				}},
		},
	}
}

// starts records the Pods whose container has run, and whether a Pod was stuck because a ConfigMap
// was missing.
type starts struct {
	mutex sync.Mutex
	pods  map[string]bool
	stuck bool
	last  time.Time
}

// watchStarts notes each Pod of a case whose container runs.
func watchStarts(t *testing.T, client kubernetes.Interface, name string) *starts {
	t.Helper()
	seen := &starts{pods: map[string]bool{}, last: time.Now()}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	watch, err := client.CoreV1().Pods("default").Watch(ctx,
		metav1.ListOptions{LabelSelector: "app=" + name})
	require.NoError(t, err)
	go func() {
		for event := range watch.ResultChan() {
			pod, isPod := event.Object.(*corev1.Pod)
			if !isPod {
				continue
			}
			seen.note(pod)
		}
	}()
	return seen
}

func (s *starts) note(pod *corev1.Pod) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.last = time.Now()
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Waiting != nil && c.State.Waiting.Reason == "CreateContainerConfigError" {
			s.stuck = true
		}
		if c.State.Running != nil || c.LastTerminationState.Terminated != nil ||
			strings.HasPrefix(c.ContainerID, "containerd://") {
			s.pods[string(pod.UID)] = true
		}
	}
}

// restartQuiet restarts the time during which nothing may change.
func (s *starts) restartQuiet() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.last = time.Now()
}

func (s *starts) wasStuck() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.stuck
}

func (s *starts) count() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.pods)
}

// quiet is the time during which a case's Pods must not change. Wave acts within a second, and a
// rollout shows at once.
const quiet = 8 * time.Second

// quiet waits until the Deployment is available and its Pods have been unchanged for quiet.
func (s *starts) quiet(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	eventually(t, func(c require.TestingT) {
		d, err := client.AppsV1().Deployments("default").Get(context.Background(), name,
			metav1.GetOptions{})
		require.NoError(c, err)
		require.Equal(c, d.Generation, d.Status.ObservedGeneration)
		require.Equal(c, int32(1), d.Status.AvailableReplicas, "stuck")
		require.Equal(c, int32(1), d.Status.UpdatedReplicas)
		s.mutex.Lock()
		defer s.mutex.Unlock()
		require.Greater(c, time.Since(s.last), quiet)
	})
}

// quietWithout waits until the Pods have not changed for the time quiet, and returns the number of
// started Pods.
func (s *starts) quietWithout(t *testing.T) int {
	t.Helper()
	eventually(t, func(c require.TestingT) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		require.Greater(c, time.Since(s.last), quiet)
	})
	return s.count()
}
