package e2e

import (
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// proxyFile is the file with the proxy settings of a node.
const proxyFile = "/etc/rancher/k3s/strata-proxy.env"

// connectProxy is an HTTP proxy on this machine that requires a login. It connects only to one host
// name, which the nodes cannot resolve.
type connectProxy struct {
	// address is the proxy's host and port.
	address        string
	user, password string
	// name is the host and port to which clients may connect. The proxy connects to the address
	// behind instead.
	name, behind string
	// through counts the accepted connections.
	through atomic.Int32
}

func serveConnectProxy(t *testing.T, address, name, behind string) *connectProxy {
	t.Helper()
	listener, err := net.Listen("tcp", address+":0")
	require.NoError(t, err)
	p := &connectProxy{address: listener.Addr().String(), user: "nodes",
		password: "a-proxy-password-that-must-not-leak", name: name, behind: behind}
	server := httptest.NewUnstartedServer(p)
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return p
}

// url returns the proxy's URL with the login.
func (p *connectProxy) url() string {
	return "http://" + p.user + ":" + p.password + "@" +
		p.address
}

func (p *connectProxy) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	login := "Basic " + base64.StdEncoding.EncodeToString([]byte(p.user+":"+p.password))
	switch {
	case request.Header.Get("Proxy-Authorization") != login:
		w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
	case request.Method != http.MethodConnect || request.Host != p.name:
		w.WriteHeader(http.StatusBadGateway)
	default:
		p.connect(w)
	}
}

// connect copies bytes between the client and the address behind, until one side closes.
func (p *connectProxy) connect(w http.ResponseWriter) {
	far, err := net.Dial("tcp", p.behind)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() { _ = far.Close() }()
	w.WriteHeader(http.StatusOK)
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = near.Close() }()
	p.through.Add(1)
	go func() {
		_, _ = io.Copy(far, buffered)
		_ = far.Close()
	}()
	_, _ = io.Copy(near, far)
}

// isPrivate asserts that a file contains a secret on each node, and that other users cannot read
// the secret there.
func (l *hostSet) isPrivate(t *testing.T, file, secret string) {
	t.Helper()
	for _, n := range l.nodes {
		assert.Contains(t, l.must(n.name, "cat "+file), secret, "the test looks for the wrong text")
		assert.Empty(t, l.exposed(n.name, secret), n.name)
	}
}
