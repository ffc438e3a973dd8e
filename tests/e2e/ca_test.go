package e2e

import (
	"context"
	"crypto/tls"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// copiesCA and putsCABack save and restore the CA, by the commands of docs/troubleshooting.md.
	copiesCA   = `umask 077; k3s kubectl -n cert-manager get secret strata-ca -o jsonpath='{"{"}"data":{.data}{"}"}' >strata-ca.json`
	putsCABack = `k3s kubectl -n cert-manager get certificaterequests -o name | grep '/strata-ca-' | xargs k3s kubectl -n cert-manager delete
k3s kubectl -n cert-manager patch secret strata-ca --patch-file strata-ca.json`
)

// namedCA matches the command with which the gate proposes to accept a CA, with its fingerprint.
var namedCA = regexp.MustCompile(`certManager\.acceptedCA ([0-9a-f]{16})`)

// meetsAnotherCA deletes the CA's Secret twice. Each time, cert-manager makes another CA, which the
// gate must name. The story first restores the old CA from a copy. The second time, it accepts the
// new CA, and no request may be lost.
func (s *stack) meetsAnotherCA(t *testing.T, hosts *hostSet, configured map[string]any) {
	old := s.output("caCertificate")
	hosts.must("server-1", copiesCA)
	s.getsAnotherCA(t)
	hosts.must("server-1", putsCABack)
	s.healthy()
	s.must(s.up("--expect-no-changes"))
	s.answersOverTLS(t)
	assert.Equal(t, old, s.output("caCertificate"), "cert-manager keeps what was put back")

	manager, _ := configured["certManager"].(map[string]any)
	s.configure(with(configured, "certManager", with(manager, "acceptedCA", s.getsAnotherCA(t))))
	stop := s.keepsAsking(t, s.urls()["traefik"])
	s.must(s.up())
	asked, lost := stop()
	assert.NotZero(t, asked)
	assert.Zero(t, lost, "of %d", asked)
	assert.NotEqual(t, old, s.output("caCertificate"))
	s.answersOverTLS(t)
	s.healthy()
	s.must(s.up("--expect-no-changes"))
}

// getsAnotherCA deletes the CA's Secret, and returns the fingerprint of the new CA that the gate
// names.
func (s *stack) getsAnotherCA(t *testing.T) string {
	secrets := s.client().CoreV1().Secrets("cert-manager")
	before, err := secrets.Get(t.Context(), "strata-ca", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, secrets.Delete(t.Context(), "strata-ca", metav1.DeleteOptions{}))
	eventually(t, func(c require.TestingT) {
		now, err := secrets.Get(context.Background(), "strata-ca", metav1.GetOptions{})
		require.NoError(c, err)
		require.NotEqual(c, before.Data["tls.crt"], now.Data["tls.crt"])
	})
	r := s.refusedWithin(t, 15*time.Second,
		func(limit string) result { return s.health("--timeout", limit) },
		"ca-gate", "is another CA than the stack has recorded", "acceptedCA")
	named := namedCA.FindStringSubmatch(r.output)
	require.NotNil(t, named, r.output)
	return named[1]
}

// keepsAsking requests a URL of the ingress again and again, without verification of certificates.
// stop ends that, and returns the numbers of all requests and of the lost ones.
func (s *stack) keepsAsking(t *testing.T, url string) (stop func() (asked, lost int64)) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: dialing(s.output("ingressAddress")),
	}}
	var asked, lost atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for pace := time.NewTicker(50 * time.Millisecond); ctx.Err() == nil; <-pace.C {
			asked.Add(1)
			answer, err := client.Get(url)
			if err != nil || answer.StatusCode != http.StatusUnauthorized {
				lost.Add(1)
			}
			if err == nil {
				_ = answer.Body.Close()
			}
		}
	}()
	return func() (int64, int64) {
		cancel()
		<-ended
		return asked.Load(), lost.Load()
	}
}
