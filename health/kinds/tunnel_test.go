package kinds_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/kinds"
	"strata/health/server"
	"strata/internal/ssh/remote/sshtest"
	"strata/internal/ssh/tunnel"
	"strata/internal/ssh/tunnel/tunneltest"
)

// askServerGate returns the ping verdict and the progress of a server gate. The gate reaches its
// host directly, and the server's /ping through a tunnel.
func askServerGate(
	t *testing.T, way tunnel.Spec, host *sshtest.Server, url string,
) (health.Verdict, string) {
	t.Helper()
	target := host.Target()
	target.Jump, target.DynamicForward = way.Via, way.Port
	spec := health.Spec{
		Gate: "k3s-server-1-gate", Layer: "k3s",
		Timeout: metav1.Duration{Duration: 3 * time.Second}, TimeoutKey: "strata:timeouts.install",
		Hosts: []health.Host{{Target: target, Role: "server"}}, Servers: []string{url},
		Body: server.Spec{},
	}
	var said strings.Builder
	result, err := kinds.Run(t.Context(), spec, health.Secrets{SSHKey: host.PrivateKey()}, &said)
	require.NoError(t, err)
	for _, check := range result.Checks {
		if strings.HasPrefix(check.Check, "ping") {
			return check, said.String()
		}
	}
	t.Fatalf("no ping: %s", said.String())
	return health.Verdict{}, ""
}

// pongs starts a server that answers every request with pong, and returns its URL.
func pongs(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		_, _ = io.WriteString(w, "pong")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// `strata tunnel -s a` is open, and `strata health -s b` uses the same port. If both sites have the
// same private addresses, a's server would answer pong in place of b's.
func TestGateDoesNotUseTunnelOfOtherStack(t *testing.T) {
	way, _ := tunneltest.Serve(t)
	host := sshtest.Start(t)
	mine := tunneltest.Through(host, way.Port)
	mine.Via[0].Port = 1 // no jump host listens, so the unit check only waits
	held, err := tunnel.Open(t.Context(), way, host.PrivateKey())
	require.NoError(t, err)
	defer held.Close()
	ping, progress := askServerGate(t, mine, host, pongs(t))
	assert.Equal(t, health.Waiting, ping.State)
	assert.Contains(t, ping.Message, "which is in use; each stack needs a port of its own: "+
		"strata:hosts.ssh.dynamicForward")
	assert.Contains(t, ping.Hint, "strata tunnel")
	assert.Contains(t, progress, "k3s-server-1-gate: tunnel to what only jump host 127.0.0.1:1 reaches")
}

// The jump host boots when the gate starts. The test opens the tunnel's port later, and expects the
// gate's greeting there.
func TestGateRetriesTunnelThatCouldNotBeOpened(t *testing.T) {
	host := sshtest.Start(t)
	way := tunneltest.Through(host, tunneltest.Closed(t))
	way.Via[0].Port = 1
	greeted := make(chan struct{})
	time.AfterFunc(200*time.Millisecond, func() {
		listener, err := net.Listen("tcp", way.Address())
		if !assert.NoError(t, err) {
			return
		}
		t.Cleanup(func() { _ = listener.Close() })
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(conn).ReadString('\n')
			_ = conn.Close()
			if line == "strata-tunnel\n" {
				close(greeted)
				return
			}
		}
	})
	ping, progress := askServerGate(t, way, host, pongs(t))
	assert.Equal(t, health.Waiting, ping.State)
	assert.Contains(t, progress, "a test binary serves no tunnel",
		"it could not be opened at first")
	select {
	case <-greeted:
	default:
		t.Error("it was tried once only")
	}
}
