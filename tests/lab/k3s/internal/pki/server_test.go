package pki_test

import (
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"strata/tests/lab/k3s/internal/pki"
)

func newServer(t *testing.T) *pki.Server {
	t.Helper()
	s := &pki.Server{
		Dir:   filepath.Join(t.TempDir(), "server"),
		Names: pki.ServerNames("node-1", net.IPv4(10, 0, 0, 1), net.IPv4(10, 43, 0, 1), "cluster.local", []string{"api.example", "192.0.2.7"}),
	}
	require.NoError(t, s.Ensure(6444))
	return s
}

func TestServingCertificateHasEveryNameOfTheServer(t *testing.T) {
	s := newServer(t)
	data, err := os.ReadFile(s.Path("serving-kube-apiserver.crt"))
	require.NoError(t, err)
	block, _ := pem.Decode(data)
	cert, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.ServerCA.CertPEM)
	for _, name := range []string{"127.0.0.1", "10.0.0.1", "10.43.0.1", "192.0.2.7", "node-1", "api.example", "kubernetes.default.svc.cluster.local"} {
		_, err := cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: name})
		assert.NoError(t, err, name)
	}
}

func TestRestartKeepsEveryCA(t *testing.T) {
	s := newServer(t)
	before := map[string][]byte{}
	for _, name := range pki.Bootstrap {
		if data, err := os.ReadFile(s.Path(name)); err == nil {
			before[name] = data
		}
	}
	require.NoError(t, s.Ensure(6444))
	require.NotEmpty(t, before)
	for name, data := range before {
		after, err := os.ReadFile(s.Path(name))
		require.NoError(t, err)
		assert.Equal(t, data, after, name)
	}
}

func TestKeysAndKubeconfigsAreReadableByOwnerOnly(t *testing.T) {
	s := newServer(t)
	err := filepath.Walk(s.Dir, func(path string, info os.FileInfo, err error) error {
		require.NoError(t, err)
		if filepath.Ext(path) == ".key" || filepath.Ext(path) == ".kubeconfig" {
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), path)
		}
		return nil
	})
	require.NoError(t, err)
}

func TestAdminKubeconfigIsSelfContainedAndPrivate(t *testing.T) {
	s := newServer(t)
	file := filepath.Join(t.TempDir(), "k3s.yaml")
	require.NoError(t, s.WriteAdminKubeconfig(file, 6443, 0o600))
	config, err := clientcmd.LoadFromFile(file)
	require.NoError(t, err)
	assert.Equal(t, "default", config.CurrentContext)
	assert.Equal(t, "https://127.0.0.1:6443", config.Clusters["default"].Server)
	assert.Equal(t, s.ServerCA.CertPEM, config.Clusters["default"].CertificateAuthorityData)
	assert.NotEmpty(t, config.AuthInfos["default"].ClientKeyData)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// ends returns the expiry time of one of the server's certificates.
func ends(t *testing.T, s *pki.Server, name string) time.Time {
	t.Helper()
	data, err := os.ReadFile(s.Path(name + ".crt"))
	require.NoError(t, err)
	block, _ := pem.Decode(data)
	cert, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	return cert.NotAfter
}

// As in K3s, a restart renews a certificate only if it expires soon or its names changed.
func TestRestartRenewsCertificateNearExpiryOrWithNewName(t *testing.T) {
	s := newServer(t)
	whole := ends(t, s, "client-admin")
	assert.WithinDuration(t, time.Now().AddDate(1, 0, 0), whole, 48*time.Hour)
	require.NoError(t, s.Ensure(6444))
	assert.Equal(t, whole, ends(t, s, "client-admin"), "one with time left stays")

	t.Setenv("CATTLE_NEW_SIGNED_CERT_EXPIRATION_DAYS", "119")
	short := newServer(t)
	first := ends(t, short, "client-admin")
	assert.WithinDuration(t, time.Now().AddDate(0, 0, 119), first, 48*time.Hour)
	t.Setenv("CATTLE_NEW_SIGNED_CERT_EXPIRATION_DAYS", "200")
	require.NoError(t, short.Ensure(6444))
	assert.True(t, ends(t, short, "client-admin").After(first), "one near its end is renewed")

	s.Names.DNS = append(s.Names.DNS, "api.example.net")
	require.NoError(t, s.Ensure(6444))
	assert.NotEqual(t, whole, ends(t, s, "serving-kube-apiserver"), "another name")
	assert.Equal(t, whole, ends(t, s, "client-admin"))
}
