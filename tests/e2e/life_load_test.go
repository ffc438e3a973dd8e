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

// outage has the longest times without an answer from the API and from the Service.
type outage struct{ api, service time.Duration }

// answerLimit is the timeout of one request to the API.
const answerLimit = 2 * time.Second

// apiAway bounds the outage of the API while one server is stopped. A follower of etcd calls an
// election between one and two election timeouts after the last message of its leader
// (etcd-io/raft, resetRandomizedElectionTimeout). K3s's election timeout is 5 s (k3s-io/k3s
// pkg/etcd/etcd.go), and the client must first give up its present request. That makes 12 s on an
// idle machine; 10.7 s were observed. `make bench` measures the outage. This bound allows for
// several elections, for example if a second server is away, and for a busy machine.
const apiAway = 5 * time.Minute

// whileAnswering sends requests to the API, through any server, and to the Service hello, while run
// runs. It returns the longest time without an answer of each.
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

// anyServer returns a client that connects to the first server that accepts a connection.
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

// longestSilence calls ask until ctx ends, and returns the longest time between two successes.
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
