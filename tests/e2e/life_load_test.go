package e2e

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// outage is the longest time for which something did not answer.
type outage struct{ api, service time.Duration }

// answerLimit bounds one request to the API.
const answerLimit = 2 * time.Second

// apiAway bounds the absence of the API while one server is away. A follower of etcd calls an
// election between one and two election timeouts after it last heard its leader (etcd-io/raft,
// resetRandomizedElectionTimeout). K3s's timeout is 5 s (k3s-io/k3s pkg/etcd/etcd.go), and the
// client gives up its present request: 12 s on an idle machine, and 10.7 s were seen. `make bench`
// measures the absence. This bound allows for more than an election, such as a second server that
// is away, and for a busy machine.
const apiAway = 5 * time.Minute

// whileAnswering runs something while it asks the API, through any server, and the Service again
// and again, and returns for how long neither answered.
func (s *stack) whileAnswering(t *testing.T, servers []string, run func()) outage {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	api, address := s.anyServer(t, servers), addressOf(t, s.client(), "hello")
	once := &http.Client{Timeout: 2 * time.Second,
		Transport: &http.Transport{DisableKeepAlives: true}}
	var seen outage
	var both sync.WaitGroup
	both.Go(func() {
		seen.api = longestSilence(ctx, func(ctx context.Context) error {
			return api.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
		})
	})
	both.Go(func() {
		seen.service = longestSilence(ctx, func(context.Context) error {
			response, err := once.Get("http://" + address + "/")
			if err != nil {
				return err
			}
			return response.Body.Close()
		})
	})
	run()
	stop()
	both.Wait()
	assert.Less(t, seen.api, apiAway, "the API was away for too long")
	return seen
}

// anyServer reaches the cluster through whichever server answers.
func (s *stack) anyServer(t *testing.T, servers []string) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(s.output("kubeconfig")))
	require.NoError(t, err)
	config.Timeout = answerLimit
	config.Dial = func(ctx context.Context, network, _ string) (conn net.Conn, err error) {
		for _, server := range servers {
			dialer := net.Dialer{Timeout: time.Second}
			if conn, err = dialer.DialContext(ctx, network, server); err == nil {
				return conn, nil
			}
		}
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// longestSilence asks until ctx ends, and returns the longest time between two answers.
func longestSilence(ctx context.Context, ask func(context.Context) error) time.Duration {
	var longest time.Duration
	last := time.Now()
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := ask(ctx); err == nil {
			longest, last = max(longest, time.Since(last)), time.Now()
		}
	}, 100*time.Millisecond)
	return max(longest, time.Since(last))
}
