package e2e

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// issuerDelay is the delay of the story's issuer. It is long enough for a Pod to start before its
// certificate exists.
const issuerDelay = 12 * time.Second

// certWaitImage is the image cert-wait of the bundle.
const certWaitImage = "docker.io/strata/cert-wait:1.0.0"

// These are the ways in which a Pod waits for its certificate: not at all, by an init container
// that mounts the Secret, by Strata's gate, by cert-wait, and by gate and cert-wait.
const (
	raceNone  = "no layer"
	raceMount = "required mount"
	raceEdge  = "edge only"
	raceInit  = "init layer only"
	raceBoth  = "both"
)

// raceResult has the outcome for one Pod.
type raceResult struct {
	// failedMounts counts FailedMount events because the Secret was missing. started reports
	// whether the application started in time, and late is the time from the certificate to that
	// start. restarts counts the restarts of init containers.
	failedMounts, restarts int
	started                bool
	late                   time.Duration
	// reason is the Pod's waiting reason, if the application has not started.
	reason string
}

// certificateRace runs one Pod for each way, all at the same time, with a slow issuer. It returns
// the results by way.
func (w *workloadStory) certificateRace(t *testing.T, ways ...string) map[string]raceResult {
	t.Helper()
	client := w.client()
	issuer := newSlowIssuer(t, w)
	results := map[string]raceResult{}
	var mutex sync.Mutex
	var all sync.WaitGroup
	for i, way := range ways {
		all.Go(func() {
			result := w.race(t, client, issuer, fmt.Sprintf("race-%d", i), way)
			mutex.Lock()
			defer mutex.Unlock()
			results[way] = result
		})
	}
	all.Wait()
	for way, r := range results {
		t.Logf("%-32s FailedMount %d, init restarts %d, started %v, %s after the certificate %s",
			way, r.failedMounts, r.restarts, r.started,
			r.late.Round(100*time.Millisecond), r.reason)
	}
	return results
}

// race creates a Certificate, and a Pod that mounts its Secret: at once, or after the gate of the
// Certificate has opened.
func (w *workloadStory) race(
	t *testing.T, client *kubernetes.Clientset, issuer *slowIssuer, name, way string,
) raceResult {
	ctx := context.Background()
	issuer.request(t, name)
	if (way == raceEdge || way == raceBoth) && !w.raceGate(t, issuer, name) {
		return raceResult{}
	}
	pods := client.CoreV1().Pods("apps")
	_, err := pods.Create(ctx, racePod(name, way), metav1.CreateOptions{})
	if !assert.NoError(t, err, way) {
		return raceResult{}
	}
	result := raceResult{}
	deadline := time.Now().Add(4 * silence) // with some ways, the application never starts
	for ; time.Now().Before(deadline) && !result.started; time.Sleep(attemptPause) {
		pod, err := pods.Get(ctx, name, metav1.GetOptions{})
		if !assert.NoError(t, err, way) {
			return result
		}
		result.see(pod, issuer.at(name))
	}
	events, err := client.CoreV1().Events("apps").List(ctx,
		metav1.ListOptions{FieldSelector: "involvedObject.name=" + name + ",reason=FailedMount"})
	assert.NoError(t, err, way)
	for _, event := range events.Items {
		// A kubelet without enough processor time also fails to mount for other reasons, such as a
		// watch that has not begun. Such events do not count.
		if strings.Contains(event.Message, fmt.Sprintf("secret %q not found", name)) {
			result.failedMounts += max(int(event.Count), 1)
		}
	}
	assert.NoError(t, pods.Delete(ctx, name, metav1.DeleteOptions{}), way)
	return result
}

// raceGate runs the gate of the Certificate, as the program does, and reports whether it opened.
func (w *workloadStory) raceGate(t *testing.T, issuer *slowIssuer, name string) bool {
	var noted sync.WaitGroup
	noted.Go(func() { issuer.issued(t, name) }) // notes the Secret's time while the gate runs
	r := w.gate(w.hosts, "certificate", map[string]any{
		"namespace": "apps", "name": name, "secret": name, "dnsNames": []string{name + ".test"},
	}, patient)
	noted.Wait()
	return assert.NoError(t, r.err, "%s\n%s", r.line, r.output)
}

// see records the state of the Pod. The application has started if its container runs.
func (r *raceResult) see(pod *corev1.Pod, issued time.Time) {
	r.restarts, r.reason = 0, ""
	for _, c := range pod.Status.InitContainerStatuses {
		r.restarts += int(c.RestartCount)
		if c.State.Waiting != nil {
			r.reason = c.State.Waiting.Reason
		}
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Running != nil && !issued.IsZero() {
			r.started, r.late, r.reason = true, time.Since(issued), ""
		}
	}
}

// racePod returns a Pod that mounts the Secret in one of the ways.
func racePod(name, way string) *corev1.Pod {
	optional := way == raceInit || way == raceBoth
	mount := []corev1.VolumeMount{{Name: "tls", MountPath: "/etc/tls", ReadOnly: true}}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64),
			Containers: []corev1.Container{{Name: "server", Image: testServer,
				ImagePullPolicy: corev1.PullIfNotPresent, VolumeMounts: mount}},
			Volumes: []corev1.Volume{{Name: "tls", VolumeSource: corev1.VolumeSource{
				Secret: &corev1.SecretVolumeSource{SecretName: name, Optional: &optional},
			}}},
		},
	}
	if optional {
		pod.Spec.InitContainers = []corev1.Container{{
			Name: "cert-wait", Image: certWaitImage, ImagePullPolicy: corev1.PullIfNotPresent,
			Args: []string{"--dir", "/etc/tls", "--timeout", "5m0s"}, VolumeMounts: mount,
		}}
	}
	if way == raceMount {
		// The volume is not optional, so kubelet starts the init container only when the Secret
		// exists. Any image would do, because only the mount is measured.
		pod.Spec.InitContainers = []corev1.Container{{
			Name: "wait-for-certificate", Image: certWaitImage,
			ImagePullPolicy: corev1.PullIfNotPresent,
			Args:            []string{"--dir", "/etc/tls", "--timeout", "5m0s"},
			VolumeMounts:    mount,
		}}
	}
	return pod
}

// required ends the calling goroutine if there is an error. FailNow is allowed only in the
// goroutine of the test.
func required(t *testing.T, err error) {
	t.Helper()
	if !assert.NoError(t, err) {
		runtime.Goexit()
	}
}
