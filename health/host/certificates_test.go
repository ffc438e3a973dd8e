package host

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

// certificateLine returns the probe's line for a certificate that expires at ends.
func certificateLine(t *testing.T, file string, ends time.Time, ca bool) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: ends, IsCA: ca,
		BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return "/var/lib/rancher/k3s/" + file + " " + base64.StdEncoding.EncodeToString(der)
}

func TestPreflightReportsExpiryOfK3sCertificates(t *testing.T) {
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	line := func(file string, in time.Duration) string {
		return certificateLine(t, file,
			now.Add(in), false)
	}
	for name, test := range map[string]struct {
		role  string
		seen  Block
		state health.State
		says  string
		fix   string
	}{
		"a host without K3s": {"server", Block{}, health.Ready, "no K3s yet", ""},
		"all valid for more than 90 days": {"server", Block{"k3s": {"k3s"},
			"certificate": {line("server/tls/a.crt", 300*day), line("agent/b.crt", 200*day)}},
			health.Ready, "b.crt is the first to end, at 2027-09-17T12:00:00Z", ""},
		"a server's certificate expires within 90 days": {"server",
			Block{"certificate": {line("server/tls/a.crt", 300*day), line("agent/b.crt", 89*day)}},
			health.Ready, "K3s's own b.crt ends at 2027-05-29T12:00:00Z", "systemctl restart k3s"},
		"an agent's certificate has expired": {"agent",
			Block{"certificate": {line("agent/b.crt", -time.Second)}},
			health.Stuck, "b.crt ended at 2027-03-01T11:59:59Z",
			"an up in the next month does it, node by node; or on node-1: systemctl restart k3s-agent"},
		"a certificate expires now": {"server", Block{"certificate": {line("agent/b.crt", 0)}},
			health.Stuck, "b.crt ended at 2027-03-01T12:00:00Z", "systemctl restart k3s"},
		"a certificate expires in exactly 90 days": {"server",
			Block{"certificate": {line("agent/b.crt", 90*day)}},
			health.Ready, "b.crt is the first to end, at 2027-05-30T12:00:00Z", ""},
		"one of two certificates has expired": {"server",
			Block{"certificate": {line("server/tls/a.crt", 300*day), line("agent/b.crt", -day)}},
			health.Stuck, "b.crt ended", "systemctl restart k3s"},
		"an expired CA, which a restart does not renew": {"server",
			Block{"certificate": {certificateLine(t, "server/tls/ca.crt", now.Add(-day), true),
				line("agent/b.crt", 200*day)}},
			health.Ready, "b.crt is the first to end", ""},
		"a K3s whose certificates cannot be read": {"server",
			Block{"k3s": {"k3s"}, "certificate": {"a.crt not-base64"}}, health.Skipped,
			"none that can be read", ""},
		"a K3s that never started": {"server", Block{"k3s": {"k3s"}}, health.Skipped,
			"none that can be read", ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := judgeCertificates(health.Host{Role: test.role,
				Target: remote.Target{Name: "node-1"}}, test.seen, now)
			assert.Equal(t, "K3s certificates", v.Check)
			assert.Equal(t, test.state, v.State)
			assert.Contains(t, v.Message, test.says)
			assert.Contains(t, v.Hint, test.fix)
			assert.Equal(t, test.fix == "", v.Hint == "")
			_, dated := k3shost.First(test.seen["certificate"])
			assert.Equal(t, dated, v.Ends != nil,
				"when a gate's fact ends is known where there is a certificate")
		})
	}
}
