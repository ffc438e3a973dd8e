package kube

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"strata/internal/ssh/tunnel"
	"strata/internal/ssh/tunnel/tunneltest"
	"strata/tests/gates/fakeapi"
)

func TestErrorsMapToFaultKinds(t *testing.T) {
	wrap := func(err error) error {
		return fmt.Errorf("list nodes: %w",
			&url.Error{Op: "Get", URL: "https://10.10.0.11:6443/readyz", Err: err})
	}
	dial := func(err error) error { return wrap(&net.OpError{Op: "dial", Net: "tcp", Err: err}) }
	for _, c := range []struct {
		name      string
		err       error
		want      faultKind
		permanent bool
		elsewhere bool
	}{
		{"refused", dial(syscall.ECONNREFUSED), faultRefused, false, true},
		{"no route to the host", dial(syscall.EHOSTUNREACH), faultUnreachable, false, true},
		{"no route to the network", dial(syscall.ENETUNREACH), faultUnreachable, false, true},
		{"a deadline", wrap(context.DeadlineExceeded), faultTimeout, false, true},
		{"a network timeout", wrap(&net.DNSError{IsTimeout: true}), faultTimeout, false, true},
		{"a name that is not found", wrap(&net.DNSError{IsNotFound: true}), faultOther,
			false, true},
		{"a proxy that refuses", wrap(&net.OpError{Op: "proxyconnect", Net: "tcp",
			Err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}), faultProxy, false,
			true},
		{"an exec plugin that is not installed", wrap(errors.New("getting credentials: exec: " +
			"executable aws not found\n\nrun: apt install awscli")), faultPlugin, false, true},
		{"another CA", wrap(x509.UnknownAuthorityError{}), faultUnknownCA, true, true},
		{"another name", wrap(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "a"}),
			faultName, true, true},
		{"expired", wrap(x509.CertificateInvalidError{Reason: x509.Expired}), faultCertificate,
			true, true},
		{"401", wrap(apierrors.NewUnauthorized("no")), FaultUnauthorized, true, true},
		{"403", wrap(apierrors.NewForbidden(schema.GroupResource{}, "", nil)), faultForbidden,
			true, false},
		{"404", wrap(apierrors.NewNotFound(schema.GroupResource{}, "")), faultNotServed,
			false, false},
		{"503", wrap(apierrors.NewServiceUnavailable("starting")), faultOther, false, true},
		{"an unknown error", errors.New("EOF"), faultOther, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFault("10.10.0.11:6443", c.err)
			assert.Equal(t, c.want, f.Kind)
			assert.Equal(t, c.permanent, f.permanent())
			assert.Equal(t, c.elsewhere, f.elsewhere())
		})
	}
}

func TestStableRemovesLocalPortsFromErrors(t *testing.T) {
	one := Stable("read tcp 10.10.0.1:53412->10.10.0.11:6443: read: connection reset by peer ")
	two := Stable("read tcp 10.10.0.1:60001->10.10.0.11:6443: read: connection reset by peer")
	assert.Equal(t, one, two)
	assert.Contains(t, one, "10.10.0.11:6443")
}

func TestClusterRefusesInvalidServersAndKubeconfigs(t *testing.T) {
	good := fakeapi.KubeconfigWith(t, "https://127.0.0.1:6443", nil, "t")
	for _, c := range []struct {
		name       string
		servers    []string
		kubeconfig []byte
		want       string
	}{
		{"no servers", nil, good, "servers: empty"},
		{"no kubeconfig", []string{"https://a:1"}, nil, "STRATA_KUBECONFIG"},
		{"not a kubeconfig", []string{"https://a:1"}, []byte("{"), "kubeconfig"},
		{"two users of one name", []string{"https://a:1"}, []byte("{apiVersion: v1, kind: Config, " +
			"users: [{name: u, user: {token: hunter2}}, {name: u}]}"), `duplicate name "u"`},
		{"plain http", []string{"http://a:1"}, good, "not https://address:port"},
		{"no host", []string{"https://"}, good, "not https://address:port"},
		{"an invalid URL", []string{"https://a:x"}, good, "not https://address:port"},
		{"a kubeconfig that trusts any server", []string{"https://a:1"}, []byte(insecure),
			"insecure-skip-tls-verify"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewCluster(c.servers, c.kubeconfig, tunnel.Spec{})
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
}

const insecure = `
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://a:1", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t}}]
`

func TestServerBehindProxyKeepsURLPath(t *testing.T) {
	good := fakeapi.KubeconfigWith(t, "https://127.0.0.1:6443", nil, "t")
	all, err := NewCluster([]string{"https://rancher.example.org/k8s/clusters/c-1/",
		"https://10.10.0.11:6443"}, good, tunnel.Spec{})
	require.NoError(t, err)
	assert.Equal(t, "https://rancher.example.org/k8s/clusters/c-1", all.Servers[0].url)
	assert.Equal(t, "https://10.10.0.11:6443", all.Servers[1].url)
}

// faultThrough returns the fault of a server that cannot be read through a tunnel.
func faultThrough(t *testing.T, way tunnel.Spec, server string) *Fault {
	t.Helper()
	good := fakeapi.KubeconfigWith(t, "https://127.0.0.1:6443", nil, "t")
	all, err := NewCluster([]string{"https://" + server}, good, way)
	require.NoError(t, err)
	f := all.Read(t.Context(), func(ctx context.Context, s *APIServer) error {
		_, _, err := s.GetRaw(ctx, "/readyz")
		return err
	})
	require.NotNil(t, f)
	return f
}

// If the far end of a tunnel refuses a connection, the fault is the API server's. net/http's own
// proxy client would report it as a fault of the proxy.
func TestRefusalThroughTunnelIsServerFault(t *testing.T) {
	way, jump := tunneltest.Serve(t)
	server := fmt.Sprintf("127.0.0.1:%d", tunneltest.Closed(t))
	f := faultThrough(t, way, server)
	assert.Equal(t, faultRefused, f.Kind, "%v", f)
	jump.Forwards = false
	f = faultThrough(t, way, server)
	assert.Equal(t, faultTunnel, f.Kind, "%v", f)
}

// Answers through another stack's tunnel come from another cluster, so the tunnel is not used.
func TestClusterDoesNotUseTunnelOfOtherStack(t *testing.T) {
	way, jump := tunneltest.Serve(t)
	way.Via[0].User = "another stack's"
	f := faultThrough(t, way, fmt.Sprintf("127.0.0.1:%d", tunneltest.Closed(t)))
	assert.Equal(t, faultTunnel, f.Kind, "%v", f)
	assert.Contains(t, f.Text, "in use")
	assert.Empty(t, jump.Onward())
}

// The kubeconfig of an existing cluster may name its owner's proxy.
func TestClusterUsesProxyOfKubeconfig(t *testing.T) {
	none := withDialer(&rest.Config{}, tunnel.Spec{})
	assert.Nil(t, none.Dial)
	web := withDialer(&rest.Config{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy:3128"})},
		tunnel.Spec{})
	assert.Nil(t, web.Dial)
	assert.NotNil(t, web.Proxy)
	at := fmt.Sprintf("127.0.0.1:%d", tunneltest.Closed(t))
	socks := &rest.Config{Proxy: http.ProxyURL(&url.URL{Scheme: "socks5", Host: at,
		User: url.UserPassword("me", "hunter2")})}
	_, err := withDialer(socks, tunnel.Spec{}).Dial(t.Context(), "tcp", "10.10.0.11:6443")
	var down *tunnel.DownError
	require.ErrorAs(t, err, &down)
	assert.True(t, down.Foreign)
	assert.NotNil(t, socks.Proxy, "who forwards a port goes by it")
	_, err = withDialer(socks, tunnel.Spec{Port: tunneltest.Closed(t)}).Dial(t.Context(), "tcp",
		"10.10.0.11:6443")
	require.ErrorAs(t, err, &down)
	assert.False(t, down.Foreign, "the stack's own tunnel is before it")
}

func TestReadsStartWithServerThatAnsweredLast(t *testing.T) {
	c := fakeapi.New(t, 3)
	all, err := NewCluster(c.URLs(), c.Kubeconfig(), tunnel.Spec{})
	require.NoError(t, err)
	c.Servers[0].Stop()
	var asked []string
	read := func() *Fault {
		asked = nil
		return all.Read(t.Context(), func(ctx context.Context, s *APIServer) error {
			asked = append(asked, s.Name)
			_, _, err := s.GetRaw(ctx, "/readyz")
			return err
		})
	}
	assert.Nil(t, read())
	assert.Equal(t, []string{c.Servers[0].Address(), c.Servers[1].Address()}, asked)
	assert.Nil(t, read())
	assert.Equal(t, []string{c.Servers[1].Address()}, asked)
	c.Servers[1].Script(fakeapi.Script{Forbidden: true})
	f := read()
	assert.Len(t, asked, 1, "another server would forbid it as well")
	assert.Equal(t, faultForbidden, f.Kind)
	c.Servers[1].Stop()
	c.Servers[2].Stop()
	assert.Equal(t, c.Servers[1].Address(), read().Server, "the first fault is told")
	assert.Len(t, asked, 3)
}

func TestReadTimeoutGrowsUntilServersAnswerQuickly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := &Cluster{Servers: []*APIServer{{Name: "a"}, {Name: "b"}}}
		takes := 10 * time.Second
		answer := func(ctx context.Context, _ *APIServer) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(takes):
				return nil
			}
		}
		for range 2 { // 3 s, then 6 s
			require.NotNil(t, all.Read(t.Context(), answer))
		}
		for range 3 {
			require.Nil(t, all.Read(t.Context(), answer))
		}
		takes = time.Second
		require.Nil(t, all.Read(t.Context(), answer))
		takes = 4 * time.Second // after a quick answer, the timeout is 3 s again
		require.NotNil(t, all.Read(t.Context(), answer))
		takes = time.Hour
		for range 10 {
			begin := time.Now()
			require.NotNil(t, all.Read(t.Context(), answer))
			require.LessOrEqual(t, time.Since(begin), 48*time.Second)
		}
	})
}

// The first request waits for the plugin, which may take longer than a request.
func TestReadyzWaitsForSlowExecPlugin(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	kubeconfig, err := clientcmd.Load(c.Kubeconfig())
	require.NoError(t, err)
	for _, user := range kubeconfig.AuthInfos {
		user.Exec = &clientcmdapi.ExecConfig{APIVersion: "client.authentication.k8s.io/v1",
			InteractiveMode: clientcmdapi.NeverExecInteractiveMode, Command: "sh",
			Args: []string{"-c", `sleep 3.5; printf '{"apiVersion":"client.authentication.k8s.io/v1",` +
				`"kind":"ExecCredential","status":{"token":"` + user.Token + `"}}'`}}
		user.Token = ""
	}
	text, err := clientcmd.Write(*kubeconfig)
	require.NoError(t, err)
	all, err := NewCluster(c.URLs(), text, tunnel.Spec{})
	require.NoError(t, err)
	assert.Nil(t, all.Servers[0].Readyz(t.Context()).Fault)
}
