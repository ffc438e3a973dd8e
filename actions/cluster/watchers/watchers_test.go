package watchers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/actions/cluster/watchers"
	"strata/tests/gates/fakeapi"
)

// server fakes an API server.
type server struct {
	// ahead is the server's clock minus this machine's clock. age is the time since the server's
	// start, cluster the cluster's age.
	ahead, age, cluster time.Duration
	// metrics, if set, replaces the metric with the server's start. refuses, if set, is the status
	// of an answer without metrics.
	metrics string
	refuses int
}

func (a server) start(t *testing.T) *httptest.Server {
	t.Helper()
	begun := time.Now().Add(a.ahead - a.age)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now().Add(a.ahead)
		w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		var err error
		switch {
		case r.URL.Path == "/api/v1/namespaces/kube-system":
			w.Header().Set("Content-Type", "application/json")
			err = json.NewEncoder(w).Encode(corev1.Namespace{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
				ObjectMeta: metav1.ObjectMeta{
					CreationTimestamp: metav1.NewTime(now.Add(-a.cluster))},
			})
		case a.refuses != 0:
			w.WriteHeader(a.refuses)
		case a.metrics != "":
			_, err = io.WriteString(w, a.metrics)
		default:
			_, err = fmt.Fprintf(w, "# TYPE process_start_time_seconds "+
				"gauge\nprocess_start_time_seconds %f\n", float64(begun.UnixMilli())/1000)
		}
		assert.NoError(t, err)
	}))
	t.Cleanup(s.Close)
	return s
}

// begun starts an API server of an old cluster. The server has already run for age.
func begun(t *testing.T, age time.Duration) *httptest.Server {
	t.Helper()
	return server{age: age, cluster: 24 * time.Hour}.start(t)
}

// A server that lacks or hides the metric gets the age AgainAfter, so Wait does not wait for it.
func TestAPIServerAgeIsReadFromMetrics(t *testing.T) {
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		server server
		want   time.Duration
	}{
		"young": {server{age: 20 * time.Second, cluster: day},
			20 * time.Second},
		"old": {server{age: time.Hour, cluster: day}, time.Hour},
		"young, and its clock is behind": {server{age: 20 * time.Second, cluster: day,
			ahead: -time.Hour}, 20 * time.Second},
		"young, and its clock is ahead": {server{age: 20 * time.Second, cluster: day,
			ahead: time.Hour}, 20 * time.Second},
		"young, in an even younger cluster": {server{age: 20 * time.Second,
			cluster: 10 * time.Second}, watchers.AgainAfter},
		"without the metric": {server{metrics: "# TYPE other counter\nother 1\n"},
			watchers.AgainAfter},
		"metrics are forbidden": {server{refuses: http.StatusForbidden},
			watchers.AgainAfter},
	} {
		t.Run(name, func(t *testing.T) {
			age, err := watchers.Age(t.Context(), clientOf(t, test.server.start(t)))
			require.NoError(t, err)
			assert.InDelta(t, test.want.Seconds(), age.Seconds(), 5)
		})
	}
	_, err := watchers.Age(t.Context(), clientOf(t, server{metrics: "no metric at all {"}.start(t)))
	require.ErrorContains(t, err, "metrics of the API server")
}

func clientOf(t *testing.T, s *httptest.Server) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: s.URL})
	require.NoError(t, err)
	return client
}

// After a restart of the API server, Traefik watches it again only after a backoff. During a
// rollout in this time, Traefik sent a sixth of the requests to deleted Pods.
func TestPodsAreReplacedOnlyAfterControllersWatchAgain(t *testing.T) {
	nearly := watchers.AgainAfter - 1300*time.Millisecond
	young, old := begun(t, nearly), begun(t, time.Hour)
	gone := begun(t, time.Hour)
	gone.Close()

	said, took, err := waits(t.Context(), t, young)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, took, 200*time.Millisecond)
	require.Len(t, said, 1)
	assert.Contains(t, said[0], "the API server began 1m2")

	for name, servers := range map[string][]*httptest.Server{
		"the server is old":     {old},
		"another server is old": {young, gone, old},
	} {
		said, _, err := waits(t.Context(), t, servers...)
		require.NoError(t, err, name)
		assert.Empty(t, said, name)
	}
}

func TestWaitForWatchersEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	_, _, err := waits(ctx, t, begun(t, 10*time.Second))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "may not be watched yet")

	gone := begun(t, time.Hour)
	gone.Close()
	_, _, err = waits(ctx, t, gone)
	require.ErrorContains(t, err, "none of the API servers "+gone.URL+" said how long it has run")
}

// An API server that answers, but fails at its own metrics, must not delay every update for ever.
func TestWaitIsBoundedWhenAPIServerAgeIsUnknown(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	said, _, err := waits(ctx, t, server{refuses: http.StatusInternalServerError}.start(t))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Len(t, said, 1)
	assert.Contains(t, said[0], "the API server does not say how long it has run")
	assert.Contains(t, said[0], "replaced in 1m30s")
}

// waits calls Wait for API servers, and returns its messages and its duration.
func waits(
	ctx context.Context, t *testing.T, servers ...*httptest.Server,
) (said []string, took time.Duration, err error) {
	t.Helper()
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.URL)
	}
	kubeconfig := fakeapi.KubeconfigWith(t, urls[0], nil, "t")
	all, err := watchers.New(string(kubeconfig), urls)
	require.NoError(t, err)
	start := time.Now()
	err = all.Wait(ctx, func(text string) { said = append(said, strings.TrimSpace(text)) })
	return said, time.Since(start), err
}
