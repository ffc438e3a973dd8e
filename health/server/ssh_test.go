package server

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/healthtest"
	"strata/internal/k3shost"
	"strata/internal/ssh/remote/sshtest"
)

// runningUnit returns an observation of a unit that works.
func runningUnit() map[string][]string {
	return map[string][]string{"LoadState": {"loaded"}, "ActiveState": {"active"},
		"SubState": {"running"}, "NRestarts": {"0"}, "Job": {""}}
}

func askServer(t *testing.T, server *sshtest.Server, url string) health.Result {
	t.Helper()
	spec := health.Spec{
		Gate: "g", Layer: "k3s", Timeout: metav1.Duration{Duration: 2 * time.Second},
		TimeoutKey: "k",
		Hosts:      []health.Host{{Target: server.Target(), Role: "server"}},
		Servers:    []string{url},
		Body:       Spec{},
	}
	result, err := health.Ask(t.Context(), spec, health.Secrets{SSHKey: server.PrivateKey()},
		io.Discard)
	require.NoError(t, err)
	return result
}

// hasCA returns the handler of a host that reports the unit. The host has the CA file of K3s, or
// none if ca is nil.
func hasCA(unit map[string][]string, ca *x509.Certificate) sshtest.Handler {
	probe := healthtest.Probing(unit)
	return func(call sshtest.Call) int {
		if !strings.Contains(call.Script, "cat "+k3shost.ServerCA) {
			return probe(call)
		}
		if ca == nil {
			return 1
		}
		if err := pem.Encode(call.Stdout,
			&pem.Block{Type: "CERTIFICATE", Bytes: ca.Raw}); err != nil {
			return 1
		}
		return 0
	}
}

func TestServerGateRequiresRunningUnitAndPong(t *testing.T) {
	stranger := healthtest.Issue(t, "stranger", nil, healthtest.AsCA).Cert
	starts := map[string][]string{"LoadState": {"loaded"}, "ActiveState": {"activating"},
		"SubState": {"start"}}
	for _, test := range []struct {
		name string
		unit map[string][]string
		path string
		// ca is true if K3s on the host has a CA; ours, if that CA issued the API's certificate.
		ca, ours bool
		want     health.Ending
		says     string
	}{
		{"opens on a running unit and pong", runningUnit(), "pong", true, true, health.EndedOpen, ""},
		{"does not open on another answer", runningUnit(), "ok", true, true, health.EndedTimeout,
			"expected pong, found HTTP 200"},
		{"does not open without the unit", starts, "pong", true, true, health.EndedTimeout,
			"activating"},
		{"does not open on a stranger's pong", runningUnit(), "pong", true, false,
			health.EndedTimeout, "expected a certificate of the CA that K3s has on host-1"},
		{"does not open while the host has no CA", runningUnit(), "pong", false, false,
			health.EndedTimeout, "cannot be read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			api := httptest.NewTLSServer(
				http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					assert.Empty(t, r.Header.Get("Authorization"))
					_, _ = io.WriteString(w, test.path)
				}))
			t.Cleanup(api.Close)
			var ca *x509.Certificate
			switch {
			case test.ours:
				ca = api.Certificate()
			case test.ca:
				ca = stranger
			}
			server := sshtest.Start(t)
			server.Handler = hasCA(test.unit, ca)
			result := askServer(t, server, api.URL)
			assert.Equal(t, test.want, result.Ending)
			assert.Contains(t, fmt.Sprintf("%+v", result.Checks), test.says)
		})
	}
}

// The first server may have been recreated, and then has a new CA.
func TestServerCAIsReadAgainBeforeCertificateIsRefused(t *testing.T) {
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "pong")
	}))
	t.Cleanup(api.Close)
	stranger := healthtest.Issue(t, "stranger", nil, healthtest.AsCA).Cert
	reads := []*x509.Certificate{stranger, api.Certificate()}
	asks := newPinger(api.URL, (&net.Dialer{}).DialContext, func(context.Context) (string, error) {
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: reads[0].Raw})
		reads = reads[1:]
		return string(text), nil
	})
	assert.NotEmpty(t, asks.ask(t.Context()).Stranger)
	assert.Empty(t, asks.ask(t.Context()).Stranger)
	assert.Empty(t, asks.ask(t.Context()).Stranger, "it is known, and not read a third time")
}
