package certificate

import (
	"crypto/x509"
	"encoding/pem"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/healthtest"
)

func onlyForExampleNet(c *x509.Certificate) {
	healthtest.AsCA(c)
	c.PermittedDNSDomains, c.PermittedDNSDomainsCritical = []string{"example.net"}, true
}

func withKey(data map[string][]byte, key string, value []byte) map[string][]byte {
	data[key] = value
	return data
}

func TestTLSSecretIsReadyOnlyWithUsableCertificate(t *testing.T) {
	root := healthtest.Issue(t, "root", nil, healthtest.AsCA)
	between := healthtest.Issue(t, "between", &root, healthtest.AsCA)
	other := healthtest.Issue(t, "other", nil, healthtest.AsCA)
	web := healthtest.Issue(t, "web.example.org", &root, func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(10, 0, 0, 1)} })
	deep := healthtest.Issue(t, "web.example.org", &between, healthtest.AsLeaf)
	alone := healthtest.Issue(t, "web.example.org", nil, healthtest.AsLeaf)
	wild := healthtest.Issue(t, "*.example.org", &root, healthtest.AsLeaf)
	good := func(i healthtest.Issued, more ...healthtest.Issued) map[string][]byte {
		return withKey(i.Secret(t, more...), "ca.crt", root.Pem())
	}
	elsewhere := healthtest.Issue(t, "elsewhere", nil, onlyForExampleNet)
	foreign := healthtest.Issue(t, "web.example.org", &elsewhere, healthtest.AsLeaf)
	noon := healthtest.PairStart.Add(5 * time.Hour)
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
		{"a wildcard name is wanted", good(wild), noon, []string{"*.example.org"}, ""},
		{"with its intermediate", good(deep, between), noon, nil, ""},
		{"self-signed without ca.crt", alone.Secret(t), noon, nil, ""},
		{"self-signed and its own ca.crt", withKey(alone.Secret(t), "ca.crt", alone.Pem()), noon, nil, ""},
		{"two CAs, of which one is right", withKey(web.Secret(t), "ca.crt", append(other.Pem(), root.Pem()...)), noon, nil, ""},
		{"at the start of its validity", good(web), healthtest.PairStart, nil, ""},
		{"exactly MinRemaining left", good(web), healthtest.PairStart.Add(9 * time.Hour), nil, ""},
		{"no Secret", nil, noon, nil, "does not exist"},
		{"an empty Secret", map[string][]byte{}, noon, nil, "has no tls.crt, tls.key"},
		{"an empty key", withKey(good(web), "tls.key", nil), noon, nil, "has no tls.key"},
		{"the key of another certificate", withKey(good(web), "tls.key", alone.Secret(t)["tls.key"]), noon, nil, "does not match"},
		{"tls.crt is no certificate", withKey(good(web), "tls.crt", []byte("text")), noon, nil, "no pair"},
		{"not valid yet", good(web), healthtest.PairStart.Add(-time.Second), nil, "not valid before 2026-01-01T00:00:00Z"},
		{"expired", good(web), healthtest.PairStart.Add(10*time.Hour + time.Second), nil, "expired at 2026-01-01T10:00:00Z"},
		{"less than MinRemaining left", good(web), healthtest.PairStart.Add(9*time.Hour + time.Second), nil, "expected at least 1h0m0s"},
		{"not valid for a wanted name", good(web), noon, []string{"web.example.org", "api.example.org"}, "not valid for api.example.org, only for web.example.org, 10.0.0.1"},
		{"ca.crt is another CA", withKey(web.Secret(t), "ca.crt", other.Pem()), noon, nil, "unknown authority"},
		{"a ca.crt without a certificate", withKey(web.Secret(t), "ca.crt", []byte("text")), noon, nil, "unknown authority"},
		{"a broken ca.crt", withKey(web.Secret(t), "ca.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})), noon, nil, "ca.crt: "},
		{"a broken intermediate", withKey(good(web), "tls.crt", append(web.Pem(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})...)), noon, nil, "tls.crt: "},
		{"without its intermediate", good(deep), noon, nil, "unknown authority"},
		{"the CA's name constraints exclude the name", withKey(foreign.Secret(t), "ca.crt", elsewhere.Pem()), noon, nil, "is not permitted by any constraint"},
		{"signed by a private CA, without ca.crt", web.Secret(t), noon, nil, "unknown authority"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := Spec{DNSNames: c.ask, MinRemaining: metav1.Duration{Duration: time.Hour}}
			if spec.DNSNames == nil {
				spec.DNSNames = []string{"web.example.org"}
			}
			v := judgePair(spec, certificateSeen{}, pairOf(c.data, spec, c.now))
			assert.Contains(t, v.Message, c.say)
			assert.Equal(t, c.say == "", v.State == health.Ready, v.Message)
			assert.NotContains(t, v.Message, "PRIVATE")
		})
	}
}

// A CA may sign for a day or an hour. cert-manager renews such a certificate when a third of its
// lifetime is left, so the gate must not require a longer validity.
func TestShortLivedCertificateNeedsOnlySixthOfLifetime(t *testing.T) {
	alone := healthtest.Issue(t, "a", nil, healthtest.AsLeaf) // for ten hours
	short := func(least, age time.Duration) bool {
		return pairOf(alone.Secret(t), Spec{MinRemaining: metav1.Duration{Duration: least}}, healthtest.PairStart.Add(age)).Short
	}
	assert.False(t, short(24*time.Hour, 0))
	assert.False(t, short(24*time.Hour, 8*time.Hour+20*time.Minute))
	assert.True(t, short(24*time.Hour, 8*time.Hour+20*time.Minute+time.Second))
	assert.False(t, short(time.Hour, 9*time.Hour), "less is asked for")
	assert.True(t, short(time.Hour, 9*time.Hour+time.Second))
}

func TestIssuersCAReplacesCACertOfSecret(t *testing.T) {
	own := map[string][]byte{"ca.crt": []byte("own"), "tls.crt": []byte("a")}
	assert.Equal(t, own, withCA(own, nil), "the issuer's Secret is not there, or not in the cluster")
	now := map[string][]byte{"ca.crt": []byte("other"), "tls.crt": []byte("a")}
	assert.Equal(t, now, withCA(own, []byte("other")))
	assert.Equal(t, now, withCA(map[string][]byte{"tls.crt": []byte("a")}, []byte("other")))
	assert.Equal(t, []byte("own"), own["ca.crt"], "what is observed stays as it is")
	assert.NotNil(t, withCA(nil, nil), "a Secret without data is there")
	assert.False(t, pairOf(own, Spec{}, healthtest.PairStart).Bare)
	assert.True(t, pairOf(withCA(nil, nil), Spec{}, healthtest.PairStart).Bare)
}
