package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loginRegistry is a registry of this machine that gives its images to one user, under a certificate that no host trusts by itself.
type loginRegistry struct {
	// address is its host and port, ca its certificate in PEM.
	address, ca    string
	user, password string
}

// serveLoginRegistry serves images, by the names that nodes ask for, from archives of the bundle.
func serveLoginRegistry(t *testing.T, address string, images map[string]string) loginRegistry {
	t.Helper()
	listener, err := net.Listen("tcp", address+":0")
	require.NoError(t, err)
	r := loginRegistry{address: listener.Addr().String(), user: "robot", password: "a-registry-password-that-must-not-leak"}
	holds := registry.New()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if user, password, given := request.BasicAuth(); !given || user != r.user || password != r.password {
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		holds.ServeHTTP(w, request)
	}))
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	var pair tls.Certificate
	pair, r.ca = certificateOf(t, address)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	for image, archive := range images {
		content, err := tarball.ImageFromPath(filepath.Join(bundle, "images", archive), nil)
		require.NoError(t, err)
		reference, err := name.ParseReference(r.address + "/" + image)
		require.NoError(t, err)
		require.NoError(t, remote.Write(reference, content,
			remote.WithTransport(server.Client().Transport), remote.WithAuth(&authn.Basic{Username: r.user, Password: r.password})))
	}
	return r
}

// certificateOf makes a certificate for an address, which signs for itself.
func certificateOf(t *testing.T, address string) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.ParseIP(address)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

const registriesFile = "/etc/rancher/k3s/registries.yaml"

// pullsThroughALogin has the nodes pull an image of docker.io from a registry of this machine that wants a login.
func (s *stack) pullsThroughALogin(t *testing.T, hosts *hostSet, sections map[string]any) {
	images := map[string]string{"acme/shop:1": "testserver.tar"}
	r := serveLoginRegistry(t, hosts.net.address(1), images)
	registries := []any{
		map[string]any{"name": "docker.io", "mirrors": []any{"https://" + r.address}},
		map[string]any{"name": r.address, "username": r.user, "password": r.password, "ca": r.ca},
	}
	with := merged(sections, map[string]any{
		"k3s":      map[string]any{"registries": registries},
		"apps":     map[string]any{"workloads": []any{map[string]any{"name": "shop", "image": "docker.io/acme/shop:1", "replicas": 1, "probes": map[string]any{"ready": "/ready"}}}},
		"timeouts": map[string]any{"workload": "40s"},
	})
	s.configure(with)
	s.refused(t, s.pulumi("preview"), "strata:k3s.registries[1].password: is not encrypted")
	password := func(text string) {
		s.must(s.pulumi("config", "set", "--secret", "--path", "strata:k3s.registries[1].password", text))
	}
	password("another-password")
	s.refused(t, s.up(), "docker.io/acme/shop:1", "401 Unauthorized", "cause: the registry does not give the image to this node")
	password(r.password)
	up := s.must(s.up())
	s.must(s.up("--expect-no-changes"))
	s.must(s.health())
	plain := s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output
	for where, text := range map[string]string{"the up's output": up.output, "the state": plain} {
		assert.NotContains(t, text, r.password, where)
	}
	for _, n := range hosts.nodes {
		assert.Contains(t, hosts.must(n.name, "cat "+registriesFile), r.password, "the test looks for the wrong text")
		assert.Empty(t, hosts.exposed(n.name, r.password), n.name)
	}
	s.configure(sections)
	s.must(s.up())
	for _, n := range hosts.nodes {
		hosts.must(n.name, "! test -e "+registriesFile)
	}
}
