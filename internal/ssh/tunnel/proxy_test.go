package tunnel

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/armon/go-socks5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"strata/internal/ssh/remote"
)

// A user's own proxy, in the kubeconfig of an existing cluster, is left to client-go unless it is a
// SOCKS proxy.
func TestHTTPProxyOfKubeconfigIsLeftToClientGo(t *testing.T) {
	config := &rest.Config{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy:3128"})}
	assert.False(t, HasProxy(config))
	ProxyDialer(config, net.Dialer{})
	assert.NotNil(t, config.Proxy)
	assert.False(t, HasProxy(&rest.Config{}))
	assert.True(t, HasProxy(&rest.Config{
		Proxy: http.ProxyURL(&url.URL{Scheme: "socks5h", Host: "proxy:1080"})}))
}

func TestTunnelURLInKubeconfigIsRecognized(t *testing.T) {
	spec := Spec{Port: 1080, Via: []remote.Hop{{Address: "bastion"}}}
	config, err := clientcmd.RESTConfigFromKubeConfig(
		[]byte(
			"apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: " +
				"{cluster: c, user: c}}]\n" +
				"users: [{name: c, user: {token: t}}]\nclusters: [{name: c, cluster: {server: " +
				"'https://10.0.0.1:6443', proxy-url: '" + spec.URL() + "'}}]\n"))
	require.NoError(t, err)
	assert.True(t, HasProxy(config))
}

// socksProxy starts a user's own SOCKS proxy, like ssh -D or, with a login, a company's.
func socksProxy(t *testing.T, login socks5.CredentialStore) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	server, err := socks5.New(&socks5.Config{Credentials: login,
		Logger: log.New(io.Discard, "", 0)})
	require.NoError(t, err)
	go func() { _ = server.Serve(listener) }() // Serve ends with its listener.
	return listener.Addr().String()
}

func TestUserSOCKSProxyIsUsedWithItsLogin(t *testing.T) {
	server := api(t)
	through := func(proxy, password string) error {
		config := &rest.Config{
			Proxy: http.ProxyURL(&url.URL{Scheme: "socks5", Host: proxy,
				User: url.UserPassword("me", password)})}
		conn, err := ProxyDialer(config, net.Dialer{Timeout: 10 * time.Second})(t.Context(), "tcp",
			server.Listener.Addr().String())
		require.Nil(t, config.Proxy)
		if err == nil {
			require.NoError(t, conn.Close())
		}
		return err
	}
	proxy := socksProxy(t, socks5.StaticCredentials{"me": "hunter2"})
	require.NoError(t, through(proxy, "hunter2"))

	var down *DownError
	require.ErrorAs(t, through(proxy, "wrong"), &down)
	assert.Equal(t, "the kubeconfig's proxy at "+proxy+
		" lets nothing through: username/password authentication failed", down.Error())
	assert.NotContains(t, down.Cause()+down.Hint(), "jump host")

	closed := closedPort(t)
	require.ErrorAs(t, through(closed, "hunter2"), &down)
	assert.Equal(t, "the kubeconfig's proxy at "+closed+
		" lets nothing through: connect: connection refused", down.Error())
	assert.NotContains(t, down.Hint(), "strata tunnel")
}

// A user's own `ssh -D 1080` may listen at a tunnel's port. It closes connections of other
// protocols.
func TestSSHDynamicForwardingReachesServer(t *testing.T) {
	config := func(proxy string) *rest.Config {
		return &rest.Config{Proxy: http.ProxyURL(&url.URL{Scheme: "socks5", Host: proxy})}
	}
	proxy := socksProxy(t, nil)
	conn, err := ProxyDialer(config(proxy), net.Dialer{})(t.Context(), "tcp",
		api(t).Listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	_, err = ProxyDialer(config(proxy), net.Dialer{})(t.Context(), "tcp", closedPort(t))
	require.ErrorIs(t, err, syscall.ECONNREFUSED)

	var down *DownError
	_, err = ProxyDialer(config(closedPort(t)), net.Dialer{})(t.Context(), "tcp", "10.0.0.1:6443")
	require.ErrorAs(t, err, &down)
	assert.Contains(t, down.Error(), "strata tunnel opens it", "it may be a stack's own kubeconfig")
}

// A stack's kubeconfig has only the address of its tunnel, so ProxyDialer asks who listens there.
func TestClientWithStackKubeconfigReportsTunnelFault(t *testing.T) {
	tunnel := rejected(t)
	config := &rest.Config{}
	tunnel.Use(config)
	var down *DownError
	_, err := ProxyDialer(config, net.Dialer{})(t.Context(), "tcp", "10.0.0.1:6443")
	require.ErrorAs(t, err, &down)
	assert.Contains(t, down.Error(),
		"the tunnel at "+tunnel.Address()+
			" lets nothing through: jump host private key not accepted")
}

func TestConnectionWithoutProxyIsDirect(t *testing.T) {
	conn, err := ProxyDialer(&rest.Config{}, net.Dialer{})(t.Context(), "tcp",
		api(t).Listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	conn, err = Dialer(Spec{}, net.Dialer{})(t.Context(), "tcp", api(t).Listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

// kubectl and Pulumi's provider use a tunnel as a SOCKS proxy. The tunnel's replies are as exact as
// SOCKS allows.
func TestSOCKSRepliesDistinguishServerFromTunnelFaults(t *testing.T) {
	tunnel := served(t, time.Minute)
	connect := func(address string) string {
		at := &url.URL{Scheme: "socks5", Host: tunnel.Address(), User: nil}
		transport := &http.Transport{Proxy: http.ProxyURL(at)}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			"http://"+address, nil)
		require.NoError(t, err)
		response, err := transport.RoundTrip(request)
		if err != nil {
			return err.Error()
		}
		return response.Status
	}
	assert.Contains(t, connect(closedPort(t)), "connection refused")
	assert.Contains(t, connect("nowhere.invalid:80"), "host unreachable")
	tunnel.jump.Forwards = false
	assert.Contains(t, connect("10.0.0.1:80"), "network unreachable")
	tunnel, _ = away(t)
	assert.Contains(t, connect("10.0.0.1:80"), "network unreachable",
		"the jump host refuses, and not the address")
}

func TestSilentSOCKSProxyTimesOut(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	_, err = foreign(&url.URL{Scheme: "socks5", Host: silent.Addr().String()},
		net.Dialer{Timeout: 100 * time.Millisecond})(t.Context(), "tcp", "10.0.0.1:6443")
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = foreign(&url.URL{Scheme: "socks5", Host: silent.Addr().String()},
		net.Dialer{})(ctx, "tcp",
		"10.0.0.1:6443")
	require.ErrorIs(t, err, context.Canceled)
}
