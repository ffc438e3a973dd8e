package supervisor

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"strata/tests/lab/k3s/internal/pki"
	"strata/tests/lab/k3s/internal/token"
	"strata/tests/lab/k3s/internal/tunnel"
)

// newServer starts a supervisor with a real PKI on a loopback port, and returns its URL.
func newServer(t *testing.T) (*Server, string) {
	t.Helper()
	keys := &pki.Server{Dir: t.TempDir(), Names: pki.ServerNames("node-1", net.IPv4(127, 0, 0, 1), net.IPv4(10, 43, 0, 1), "cluster.local", nil)}
	require.NoError(t, keys.Ensure(6444))
	s := &Server{
		PKI: keys, LocalNode: "node-1", Joinable: true, Tunnel: tunnel.NewServer("node-1"),
		Passwords: map[string]string{"server": "server-pw", "node": "agent-pw"},
		Members:   func() ([]byte, error) { return []byte(`{"members":[]}`), nil },
	}
	cert, err := tls.LoadX509KeyPair(keys.Path("serving-kube-apiserver.crt"), keys.Path("serving-kube-apiserver.key"))
	require.NoError(t, err)
	web := httptest.NewUnstartedServer(s)
	web.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequestClientCert}
	web.StartTLS()
	t.Cleanup(web.Close)
	return s, web.URL
}

func get(t *testing.T, url string, prepare func(*http.Request)) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	req, err := http.NewRequest(http.MethodGet, url, nil)
	require.NoError(t, err)
	if prepare != nil {
		prepare(req)
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

func TestPingAndCACertsNeedNeitherLoginNorAPIServer(t *testing.T) {
	s, url := newServer(t)
	code, body := get(t, url+"/ping", nil)
	assert.Equal(t, 200, code)
	assert.Equal(t, "pong", body)
	code, body = get(t, url+"/cacerts", nil)
	assert.Equal(t, 200, code)
	assert.Equal(t, string(s.PKI.ServerCA.CertPEM), body)
}

func TestAPIPathsReturn503UntilTheAPIServerRuns(t *testing.T) {
	s, url := newServer(t)
	code, body := get(t, url+"/readyz", nil)
	assert.Equal(t, 503, code)
	assert.Contains(t, body, "apiserver not ready")
	s.SetAPI(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	code, _ = get(t, url+"/readyz", nil)
	assert.Equal(t, 401, code, "the answer is the API server's")
}

func TestJoinEndpointsRequireThePassword(t *testing.T) {
	_, url := newServer(t)
	as := func(user, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(user, password) }
	}
	for _, c := range []struct {
		name, path string
		prepare    func(*http.Request)
		want       int
	}{
		{"no credentials", "/v1-k3s/config", nil, 403},
		{"wrong password", "/v1-k3s/config", as("node", "wrong"), 401},
		{"unknown user", "/v1-k3s/config", as("root", "agent-pw"), 401},
		{"agent reads the configuration", "/v1-k3s/config", as("node", "agent-pw"), 200},
		{"agent must not get the cluster's keys", "/v1-k3s/server-bootstrap", as("node", "agent-pw"), 403},
		{"server gets the cluster's keys", "/v1-k3s/server-bootstrap", as("server", "server-pw"), 200},
		{"server lists members", "/db/info", as("server", "server-pw"), 200},
		{"readyz before the API server is ready", "/v1-k3s/readyz", as("node", "agent-pw"), 503},
	} {
		code, _ := get(t, url+c.path, c.prepare)
		assert.Equal(t, c.want, code, c.name)
	}
}

func TestOnlyServersMayRotateTheToken(t *testing.T) {
	s, url := newServer(t)
	var given []string
	s.Rotate = func(_ context.Context, to string) error { given = append(given, to); return nil }
	for _, c := range []struct {
		user, password, method string
		want                   int
	}{
		{"node", "agent-pw", http.MethodPut, 403},
		{"server", "wrong", http.MethodPut, 401},
		{"server", "server-pw", http.MethodGet, 405},
		{"server", "server-pw", http.MethodPut, 200},
		{"server", "server-pw", http.MethodPut, 200}, // the former token is valid until a restart
	} {
		code, _ := get(t, url+"/v1-k3s/token", func(r *http.Request) {
			r.Method, r.Body = c.method, io.NopCloser(strings.NewReader(`{"newToken":"new"}`))
			r.SetBasicAuth(c.user, c.password)
		})
		assert.Equal(t, c.want, code, c)
	}
	assert.Equal(t, []string{"new", "new"}, given)
}

func TestServerWithoutEtcdRejectsJoins(t *testing.T) {
	s, url := newServer(t)
	s.Joinable = false
	code, body := get(t, url+"/v1-k3s/server-bootstrap", func(r *http.Request) { r.SetBasicAuth("server", "server-pw") })
	assert.Equal(t, 400, code)
	assert.Contains(t, body, "etcd disabled")
}

func TestBootstrapIncludesEveryCA(t *testing.T) {
	s, url := newServer(t)
	_, body := get(t, url+"/v1-k3s/server-bootstrap", func(r *http.Request) { r.SetBasicAuth("server", "server-pw") })
	files := map[string][]byte{}
	require.NoError(t, json.Unmarshal([]byte(body), &files))
	for _, name := range []string{"client-ca.key", "server-ca.crt", "etcd/peer-ca.key", "service.key"} {
		want, err := os.ReadFile(s.PKI.Path(name))
		require.NoError(t, err)
		assert.Equal(t, want, files[name], name)
	}
}

// request requests a kubelet certificate, as a joining node does.
func request(t *testing.T, url, node, password string) ([]byte, error) {
	t.Helper()
	client, err := Connect(t.Context(), url, "agent-pw", "node")
	require.NoError(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	csr, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	require.NoError(t, err)
	headers := http.Header{}
	headers.Set("k3s-Node-Name", node)
	headers.Set("k3s-Node-Password", password)
	return client.Post(t.Context(), "/v1-k3s/client-kubelet.crt", csr, headers)
}

func TestNodePasswordIsStoredAndOthersAreRejected(t *testing.T) {
	s, url := newServer(t)
	core := fake.NewClientset()
	s.SetCore(core)
	certPEM, err := request(t, url, "Node-2", "first")
	require.NoError(t, err)
	block, _ := pem.Decode(certPEM)
	cert, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	assert.Equal(t, "system:node:node-2", cert.Subject.CommonName)
	assert.Equal(t, []string{"system:nodes"}, cert.Subject.Organization)

	secret, err := core.CoreV1().Secrets("kube-system").Get(t.Context(), "node-2.node-password.k3s", metav1.GetOptions{})
	require.NoError(t, err)
	assert.NotContains(t, string(secret.Data["hash"]), "first")
	assert.Equal(t, corev1.SecretType("k3s.cattle.io/node-password"), secret.Type)

	_, err = request(t, url, "node-2", "second")
	var status *StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, 403, status.Code)
	_, err = request(t, url, "node-2", "first")
	assert.NoError(t, err)
}

func TestNodeGets503UntilSecretsCanBeRead(t *testing.T) {
	_, url := newServer(t)
	_, err := request(t, url, "node-2", "pw")
	var status *StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, 503, status.Code)
}

func TestClientRefusesAServerWithAnotherCA(t *testing.T) {
	s, url := newServer(t)
	good := token.Format("server", "server-pw", s.PKI.ServerCA.CertPEM)
	_, err := Connect(t.Context(), url, good, "server")
	require.NoError(t, err)
	_, err = Connect(t.Context(), url, token.Format("server", "server-pw", []byte("other")), "server")
	assert.ErrorContains(t, err, "token CA hash does not match the Cluster CA certificate hash")
}

func TestWrongPasswordReturnsK3sErrorMessage(t *testing.T) {
	_, url := newServer(t)
	client, err := Connect(t.Context(), url, "wrong", "server")
	require.NoError(t, err)
	_, err = client.Get(t.Context(), "/v1-k3s/server-bootstrap")
	assert.EqualError(t, err, "not authorized")
}

func TestStoredHashHasK3sFormat(t *testing.T) {
	hash, err := newHash("pw")
	require.NoError(t, err)
	assert.Regexp(t, `^\$1:[0-9a-f]{16}:15:8:1:[A-Za-z0-9+/]{86}$`, hash)
	assert.NoError(t, verifyHash(hash, "n", "pw"))
	assert.ErrorIs(t, verifyHash(hash, "n", "other"), errVerify)
}

func TestDiffNamesCriticalSettingsThatDiffer(t *testing.T) {
	a := Critical{ClusterCIDR: "10.42.0.0/16", EncryptSecrets: true}
	b := Critical{ClusterCIDR: "10.44.0.0/16", EncryptSecrets: true}
	assert.Equal(t, []string{"cluster-cidr"}, a.Diff(b))
	assert.Empty(t, a.Diff(a))
}
