package tunnel

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// tunnelled holds a tunnel that is being served, and its jump host.
type tunnelled struct {
	Spec
	jump  *sshtest.Server
	key   []byte
	at    net.Listener
	ended chan error
	stop  context.CancelFunc
}

// served serves a tunnel in this process.
func served(t *testing.T, idleFor time.Duration) tunnelled {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	jump := sshtest.New(t)
	jump.Forwards = true
	jump.Serve(t, at)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	spec := NewSpec(remote.Target{Jump: []remote.Hop{jump.Hop()},
		DynamicForward: listener.Addr().(*net.TCPAddr).Port})
	ended, stop := serve(t, listener, spec, jump.PrivateKey(), idleFor)
	return tunnelled{spec, jump, jump.PrivateKey(), at, ended, stop}
}

// serve serves a tunnel until the test ends, or it is stopped.
func serve(
	t *testing.T, listener net.Listener, spec Spec, key []byte, idleFor time.Duration,
) (chan error, context.CancelFunc) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	ended, ready := make(chan error, 1), make(chan struct{})
	go func() { ended <- Serve(ctx, listener, spec, key, idleFor, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-ended:
		require.NoError(t, err)
	}
	return ended, stop
}

// closedPort returns a port where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

func api(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_,
				_ = io.WriteString(w, "answered")
		}))
	t.Cleanup(server.Close)
	return server
}

func TestKubeconfigProxyConnectsThroughJumpHost(t *testing.T) {
	tunnel, server := served(t, time.Minute), api(t)
	for name, config := range map[string]*rest.Config{
		"a client that takes the proxy as it is": {Host: server.URL},
		"one that dials itself":                  {Host: server.URL},
	} {
		tunnel.Use(config)
		require.True(t, HasProxy(config))
		if strings.HasPrefix(name, "one") {
			config.Dial = ProxyDialer(config, net.Dialer{})
			require.Nil(t, config.Proxy)
		}
		client, err := rest.HTTPClientFor(config)
		require.NoError(t, err, name)
		response, err := client.Get(server.URL)
		require.NoError(t, err, name)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Equal(t, "answered", string(text))
		client.CloseIdleConnections()
	}
	assert.Len(t, tunnel.jump.Onward(), 2)
	assert.Equal(t, 1, tunnel.jump.Connections(), "one login serves all")
}

// This machine cannot resolve a name of the far network.
func TestJumpHostResolvesNames(t *testing.T) {
	tunnel, server := served(t, time.Minute), api(t)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	conn, err := Dialer(tunnel.Spec, net.Dialer{})(t.Context(), "tcp",
		net.JoinHostPort("localhost", port))
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	assert.Equal(t, []string{"localhost:" + port}, tunnel.jump.Onward())
}

// A gate distinguishes a closed port of the server from a tunnel that is down. Only the first is a
// fact about the cluster.
func TestServerErrorsAreDistinguishedFromTunnelErrors(t *testing.T) {
	tunnel := served(t, time.Minute)
	dial := Dialer(tunnel.Spec, net.Dialer{})
	_, err := dial(t.Context(), "tcp", closedPort(t))
	require.ErrorIs(t, err, syscall.ECONNREFUSED)

	bounded, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	var down *DownError
	_, err = Dialer(Spec{Port: silent.Addr().(*net.TCPAddr).Port}, net.Dialer{})(bounded, "tcp",
		"10.0.0.1:6443")
	require.ErrorAs(t, err, &down, "what says nothing here has not asked there")

	tunnel.jump.Forwards = false
	_, err = dial(t.Context(), "tcp", closedPort(t))
	require.ErrorAs(t, err, &down)
	assert.Contains(t, down.Why, "AllowTcpForwarding")
	assert.True(t, strings.HasPrefix(down.Why, tunnel.last()+": jump host forwards no connection"),
		down.Why)

	tunnel.stop()
	require.NoError(t, <-tunnel.ended)
	_, err = dial(t.Context(), "tcp", closedPort(t))
	require.ErrorAs(t, err, &down)
	require.NotErrorIs(t, err, syscall.ECONNREFUSED)
	assert.Contains(t, down.Why, "strata tunnel")
}

func TestTunnelReconnectsToLostJumpHost(t *testing.T) {
	tunnel, server := served(t, time.Minute), api(t)
	dial := Dialer(tunnel.Spec, net.Dialer{})
	address := server.Listener.Addr().String()
	conn, err := dial(t.Context(), "tcp", address)
	require.NoError(t, err)
	tunnel.jump.Cut()
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err, "what went through it ends with it")
	require.Eventually(t, func() bool {
		again, err := dial(t.Context(), "tcp", address)
		return err == nil && again.Close() == nil
	}, 10*time.Second, 20*time.Millisecond)
	assert.Equal(t, 2, tunnel.jump.Connections())
}

// The server closes the connection after its last byte.
func TestTunnelPassesOnDataAndEOFOfServer(t *testing.T) {
	tunnel := served(t, time.Minute)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Write([]byte("all"))
		_ = conn.Close()
	}()
	conn, err := Dialer(tunnel.Spec, net.Dialer{})(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	text, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Equal(t, "all", string(text))
}

func TestServeReportsJumpHostRejectingKey(t *testing.T) {
	jump, other := sshtest.Start(t), sshtest.Start(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	spec := NewSpec(remote.Target{Jump: []remote.Hop{jump.Hop()},
		DynamicForward: listener.Addr().(*net.TCPAddr).Port})
	err = Serve(t.Context(), listener, spec, other.PrivateKey(), time.Minute,
		func() { t.Error("it is not ready") })
	require.ErrorIs(t, err, remote.ErrKeyRejected)
	require.ErrorContains(t, err, "jump host")
}
