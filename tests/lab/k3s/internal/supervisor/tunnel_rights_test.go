package supervisor

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/k3s/internal/pki"
)

// nodeCertificate issues a kubelet's client certificate, and returns the path of its files without
// the extension.
func nodeCertificate(t *testing.T, s *Server, node string) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), node)
	require.NoError(t, s.PKI.ClientCA.Issue(base, pki.Options{
		CommonName: "system:node:" + node, Organizations: []string{roleNode},
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}))
	return base
}

func TestTunnelEndpointsRejectCallersWithoutTheirRole(t *testing.T) {
	s, url := newServer(t)
	node, apiServer := nodeCertificate(t, s, "node-2"), s.PKI.Path("client-kube-apiserver")
	for _, c := range []struct {
		name, method, path, base string
		password                 bool
		want                     int
	}{
		{"CONNECT without credentials", http.MethodConnect, "", "", false, 403},
		{"CONNECT by a node", http.MethodConnect, "", node, false, 403},
		{"an agent without credentials", http.MethodGet, "/v1-k3s/connect", "", false, 403},
		{"an agent with the join password", http.MethodGet, "/v1-k3s/connect", "", true, 403},
		{"the API server as an agent", http.MethodGet, "/v1-k3s/connect", apiServer, false, 403},
		{"a node without a WebSocket", http.MethodGet, "/v1-k3s/connect", node, false, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := &tls.Config{InsecureSkipVerify: true}
			if c.base != "" {
				cert, err := tls.LoadX509KeyPair(c.base+".crt", c.base+".key")
				require.NoError(t, err)
				config.Certificates = []tls.Certificate{cert}
			}
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
			req, err := http.NewRequest(c.method, url+c.path, nil)
			require.NoError(t, err)
			if c.password {
				req.SetBasicAuth("node", "agent-pw")
			}
			resp, err := client.Do(req)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, c.want, resp.StatusCode)
		})
	}
}
