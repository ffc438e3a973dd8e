package healthtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Issued is a certificate with its key, created by a test.
type Issued struct {
	Cert *x509.Certificate
	Key  *ecdsa.PrivateKey
}

// PairStart is the time from which all issued certificates are valid, for ten hours.
var PairStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Issue returns a certificate for a name, signed by the given certificate, or self-signed if that
// is nil. change edits the template before it is signed.
func Issue(t testing.TB, name string, by *Issued, change func(*x509.Certificate)) Issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		BasicConstraintsValid: true,
		NotBefore:             PairStart, NotAfter: PairStart.Add(10 * time.Hour),
		DNSNames: []string{name},
	}
	change(template)
	parent, signer := template, key
	if by != nil {
		parent, signer = by.Cert, by.Key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return Issued{cert, key}
}

// AsCA is a change for Issue that makes the certificate a CA.
func AsCA(c *x509.Certificate) { c.IsCA, c.DNSNames = true, nil }

// AsLeaf is a change for Issue that changes nothing.
func AsLeaf(*x509.Certificate) {}

// Pem returns the certificate in PEM.
func (i Issued) Pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.Cert.Raw})
}

// Secret returns the data of a TLS Secret with the certificate, the further certificates of its
// chain, and its key.
func (i Issued) Secret(t testing.TB, more ...Issued) map[string][]byte {
	t.Helper()
	der, err := x509.MarshalECPrivateKey(i.Key)
	require.NoError(t, err)
	data := map[string][]byte{"tls.crt": i.Pem(),
		"tls.key": pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})}
	for _, one := range more {
		data["tls.crt"] = append(data["tls.crt"], one.Pem()...)
	}
	return data
}
