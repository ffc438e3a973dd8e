package gates_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// signed is a certificate with its key.
type signed struct {
	cert     *x509.Certificate
	key      *ecdsa.PrivateKey
	crt, pem []byte
}

// sign returns a certificate that is valid for an hour. If by is nil, it returns a CA.
func sign(t testing.TB, name string, by *signed) *signed {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-23 * time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	parent, signer := template, key
	if by == nil {
		template.IsCA = true
	} else {
		template.DNSNames, parent, signer = []string{name}, by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	private, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	return &signed{
		cert: cert, key: key, crt: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}),
	}
}

// pair returns the certificate and its key for a TLS server.
func (s *signed) pair() tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{s.cert.Raw}, PrivateKey: s.key}
}

// tlsSecret returns a Secret as cert-manager writes it.
func tlsSecret(namespace, name string, crt, key, ca []byte) string {
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf(
		"apiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\nmetadata: {name: %s, namespace: "+
			"%s}\ndata: {tls.crt: %s, tls.key: %s, ca.crt: %s}\n",
		name, namespace, text(crt), text(key), text(ca))
}
