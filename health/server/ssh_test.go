package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/healthtest"
	"strata/internal/remote/sshtest"
)

// runningUnit is an observation of a unit that works.
func runningUnit() map[string][]string {
	return map[string][]string{"LoadState": {"loaded"}, "ActiveState": {"active"}, "SubState": {"running"}, "NRestarts": {"0"}, "Job": {""}}
}

func askServer(t *testing.T, server *sshtest.Server, url string) health.Result {
	t.Helper()
	spec := health.Spec{
		Kind: health.KindServer, Gate: "g", Layer: "k3s", Timeout: metav1.Duration{Duration: 2 * time.Second}, TimeoutKey: "k",
		Hosts: []health.Host{{Target: server.Target(), Role: "server"}}, Servers: []string{url},
	}
	result, err := health.Ask(t.Context(), spec, health.Secrets{SSHKey: server.PrivateKey()}, New, io.Discard)
	require.NoError(t, err)
	return result
}

func TestAServerGateWantsUnitAndPong(t *testing.T) {
	for _, test := range []struct {
		name string
		unit map[string][]string
		path string
		want health.Ending
	}{
		{"opens on both", runningUnit(), "pong", health.EndedOpen},
		{"does not open on another answer", runningUnit(), "ok", health.EndedTimeout},
		{"does not open without the unit", map[string][]string{"LoadState": {"loaded"}, "ActiveState": {"activating"}, "SubState": {"start"}}, "pong", health.EndedTimeout},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Empty(t, r.Header.Get("Authorization"))
				_, _ = io.WriteString(w, test.path)
			}))
			t.Cleanup(api.Close)
			server := sshtest.Start(t)
			server.Handler = healthtest.Probing(test.unit)
			assert.Equal(t, test.want, askServer(t, server, api.URL).Ending)
		})
	}
}
