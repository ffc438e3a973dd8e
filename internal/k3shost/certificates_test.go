package k3shost_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/k3shost"
)

// certificate returns a certificate in PEM with its CA after it, as K3s writes them.
func certificate(t *testing.T, ends time.Time) []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	var chain []byte
	for _, template := range []*x509.Certificate{
		{SerialNumber: big.NewInt(1), NotAfter: ends},
		{SerialNumber: big.NewInt(2), NotAfter: time.Unix(0, 0), IsCA: true,
			BasicConstraintsValid: true},
	} {
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		require.NoError(t, err)
		chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return chain
}

// told returns the lines that the shell function certificates prints for a host with these files,
// without the prefix "certificate=".
func told(t *testing.T, files map[string][]byte) []string {
	root := t.TempDir()
	for path, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(root+path), 0o755))
		require.NoError(t, os.WriteFile(root+path, content, 0o600))
	}
	script := strings.ReplaceAll(k3shost.CertificatesFunction, "/var/lib/", root+"/var/lib/") +
		"certificates\n"
	out, err := exec.CommandContext(t.Context(), "sh", "-euc", script).CombinedOutput()
	require.NoError(t, err, string(out))
	var lines []string
	for line := range strings.Lines(string(out)) {
		value, ok := strings.CutPrefix(strings.TrimSpace(line), "certificate=")
		require.True(t, ok, line)
		lines = append(lines, value)
	}
	return lines
}

func TestEarliestExpiringK3sCertificateIsFound(t *testing.T) {
	soon := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	const data = "/var/lib/rancher/k3s/"
	found, ok := k3shost.First(told(t, map[string][]byte{
		data + "server/tls/client-admin.crt":        certificate(t, soon.AddDate(0, 1, 0)),
		data + "server/tls/etcd/server-client.crt":  certificate(t, soon),
		data + "server/tls/client-ca.crt":           certificate(t, soon.AddDate(-1, 0, 0)),
		data + "server/tls/empty.crt":               nil,
		data + "server/tls-1/client-admin.crt":      certificate(t, soon.AddDate(-1, 0, 0)),
		data + "agent/client-kubelet.crt":           certificate(t, soon.AddDate(0, 2, 0)),
		data + "agent/client-kubelet.key":           []byte("secret"),
		data + "agent/containerd/certs.d/other.crt": certificate(t, soon.AddDate(-1, 0, 0)),
	}))
	require.True(t, ok)
	assert.Equal(t, k3shost.Certificate{File: "server-client.crt", Ends: soon}, found)
}

func TestNoK3sCertificateIsFoundInInvalidLines(t *testing.T) {
	_, ok := k3shost.First(told(t, nil))
	assert.False(t, ok)
	_, ok = k3shost.First([]string{"x.crt", "x.crt !", "x.crt bm90IG9uZQ=="})
	assert.False(t, ok)
}
