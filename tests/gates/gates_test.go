package gates_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/kinds"
	"strata/tests/gates/fakeapi"
)

// lag is the longest time from a change to a gate's verdict in these tests. In a real cluster the
// target is 250 ms, which `make bench` measures. Here other tests run on the same two processors,
// so lag only distinguishes gates that watch from gates that poll.
const lag = 8 * time.Second

// run is a gate that runs in the background, with its progress messages.
type run struct {
	t        testing.TB
	progress *lines
	done     chan health.Result
	cancel   context.CancelFunc
}

// lines is a writer that can be read while the gate writes to it.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start runs a gate against a cluster in the background. At the end of the test, it cancels the
// gate and waits for its end.
func start(t testing.TB, cluster *fakeapi.Cluster, spec health.Spec) *run {
	t.Helper()
	return startWith(t, spec, health.Secrets{Kubeconfig: cluster.Kubeconfig()})
}

func startWith(t testing.TB, spec health.Spec, secrets health.Secrets) *run {
	t.Helper()
	if spec.Timeout.Duration == 0 {
		spec.Timeout = metav1.Duration{Duration: time.Minute}
	}
	spec.Gate, spec.Layer, spec.TimeoutKey = "test", "test", "strata:timeouts.test"
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{t: t, progress: &lines{}, done: make(chan health.Result, 1), cancel: cancel}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		result, err := kinds.Run(ctx, spec, secrets, r.progress)
		if assert.NoError(t, err) {
			r.done <- result
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return r
}

// opens asserts that the gate opens within lag.
func (r *run) opens() health.Result {
	r.t.Helper()
	result := r.ends(lag)
	require.Truef(r.t, result.Passes(), "expected an open gate, found %s:\n%s", result.State,
		r.progress)
	return result
}

// sticks asserts that the gate ends as stuck within d, before its timeout.
func (r *run) sticks(d time.Duration) health.Result {
	r.t.Helper()
	result := r.ends(d)
	require.Equalf(r.t, health.EndedStuck, result.Ending, "progress:\n%s", r.progress)
	return result
}

func (r *run) ends(d time.Duration) health.Result {
	r.t.Helper()
	select {
	case result := <-r.done:
		return result
	case <-time.After(d):
		require.FailNowf(r.t, "the gate still waits", "progress:\n%s", r.progress)
		return health.Result{}
	}
}

// says waits until the progress contains a text. It fails the test if the gate ends first.
func (r *run) says(text string) {
	r.t.Helper()
	require.Eventuallyf(r.t, func() bool {
		return strings.Contains(r.progress.String(), text)
	}, lag, 5*time.Millisecond,
		"expected %q in the progress:\n%s", text, r.progress)
	r.stays(0)
}

// stays asserts that the gate does not end within d.
func (r *run) stays(d time.Duration) {
	r.t.Helper()
	select {
	case result := <-r.done:
		require.FailNowf(r.t, "the gate ended too early", "%s, progress:\n%s", result.State,
			r.progress)
	case <-time.After(d):
	}
}

// causes returns the causes of all checks, one per line.
func causes(result health.Result) string {
	var all []string
	for _, check := range result.Checks {
		all = append(all, check.Cause)
	}
	return strings.Join(all, "\n")
}
