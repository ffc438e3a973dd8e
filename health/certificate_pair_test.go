package health

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// issued is a certificate with its key, made by the test.
type issued struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// The certificates of these tests are valid from pairStart for ten hours.
var pairStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// issue signs a certificate; by nil signs it with its own key.
func issue(t testing.TB, name string, by *issued, change func(*x509.Certificate)) issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, BasicConstraintsValid: true,
		NotBefore: pairStart, NotAfter: pairStart.Add(10 * time.Hour), DNSNames: []string{name},
	}
	change(template)
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return issued{cert, key}
}

func authority(c *x509.Certificate) { c.IsCA, c.DNSNames = true, nil }
func leaf(*x509.Certificate)        {}

func (i issued) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.cert.Raw})
}

func (i issued) secret(t testing.TB, more ...issued) map[string][]byte {
	t.Helper()
	der, err := x509.MarshalECPrivateKey(i.key)
	require.NoError(t, err)
	data := map[string][]byte{"tls.crt": i.pem(), "tls.key": pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})}
	for _, one := range more {
		data["tls.crt"] = append(data["tls.crt"], one.pem()...)
	}
	return data
}

func TestWhatIsInASecret(t *testing.T) {
	root := issue(t, "root", nil, authority)
	between := issue(t, "between", &root, authority)
	other := issue(t, "other", nil, authority)
	web := issue(t, "web.example.org", &root, func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(10, 0, 0, 1)} })
	deep := issue(t, "web.example.org", &between, leaf)
	alone := issue(t, "web.example.org", nil, leaf)
	wild := issue(t, "*.example.org", &root, leaf)
	with := func(data map[string][]byte, key string, value []byte) map[string][]byte {
		data[key] = value
		return data
	}
	good := func(i issued, more ...issued) map[string][]byte {
		return with(i.secret(t, more...), "ca.crt", root.pem())
	}
	noon := pairStart.Add(5 * time.Hour)
	for _, c := range []struct {
		name string
		data map[string][]byte
		now  time.Time
		ask  []string
		say  string
	}{
		{"good", good(web), noon, nil, ""},
		{"an IP address", good(web), noon, []string{"10.0.0.1"}, ""},
		{"a wildcard covers", good(wild), noon, nil, ""},
		{"a wildcard is asked for", good(wild), noon, []string{"*.example.org"}, ""},
		{"with its intermediate", good(deep, between), noon, nil, ""},
		{"self-signed without ca.crt", alone.secret(t), noon, nil, ""},
		{"self-signed and its own ca.crt", with(alone.secret(t), "ca.crt", alone.pem()), noon, nil, ""},
		{"two authorities, of which one is right", with(web.secret(t), "ca.crt", append(other.pem(), root.pem()...)), noon, nil, ""},
		{"at its first moment", good(web), pairStart, nil, ""},
		{"with exactly enough left", good(web), pairStart.Add(9 * time.Hour), nil, ""},
		{"no Secret", nil, noon, nil, "does not exist"},
		{"an empty Secret", map[string][]byte{}, noon, nil, "has no tls.crt, tls.key"},
		{"an empty key", with(good(web), "tls.key", nil), noon, nil, "has no tls.key"},
		{"the key of another", with(good(web), "tls.key", alone.secret(t)["tls.key"]), noon, nil, "does not match"},
		{"no certificate", with(good(web), "tls.crt", []byte("text")), noon, nil, "no pair"},
		{"not yet", good(web), pairStart.Add(-time.Second), nil, "not valid before 2026-01-01T00:00:00Z"},
		{"expired", good(web), pairStart.Add(10*time.Hour + time.Second), nil, "expired at 2026-01-01T10:00:00Z"},
		{"too little left", good(web), pairStart.Add(9*time.Hour + time.Second), nil, "expected at least 1h0m0s"},
		{"another name", good(web), noon, []string{"web.example.org", "api.example.org"}, "not valid for api.example.org, only for web.example.org, 10.0.0.1"},
		{"another CA", with(web.secret(t), "ca.crt", other.pem()), noon, nil, "unknown authority"},
		{"a ca.crt without a certificate", with(web.secret(t), "ca.crt", []byte("text")), noon, nil, "unknown authority"},
		{"a broken ca.crt", with(web.secret(t), "ca.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})), noon, nil, "ca.crt: "},
		{"a broken intermediate", with(good(web), "tls.crt", append(web.pem(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})...)), noon, nil, "tls.crt: "},
		{"without its intermediate", good(deep), noon, nil, "unknown authority"},
		{"of a CA, without ca.crt", web.secret(t), noon, nil, "unknown authority"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := CertificateSpec{DNSNames: c.ask, MinRemaining: metav1.Duration{Duration: time.Hour}}
			if spec.DNSNames == nil {
				spec.DNSNames = []string{"web.example.org"}
			}
			v := judgePair(spec, certificateSeen{}, pairOf(c.data, spec, c.now))
			assert.Contains(t, v.Message, c.say)
			assert.Equal(t, c.say == "", v.State == Ready, v.Message)
			assert.NotContains(t, v.Message, "PRIVATE")
		})
	}
}

func TestACertificateThatNeverLastsLongEnough(t *testing.T) {
	alone := issue(t, "a", nil, leaf)
	brief := func(least time.Duration) bool {
		return pairOf(alone.secret(t), CertificateSpec{MinRemaining: metav1.Duration{Duration: least}}, pairStart).Brief
	}
	assert.False(t, brief(10*time.Hour))
	assert.True(t, brief(10*time.Hour+1))
	assert.NotNil(t, orEmpty(nil))
	assert.Len(t, orEmpty(map[string][]byte{"a": nil}), 1)
}
