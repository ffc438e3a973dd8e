package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/load"
)

func TestLoadSaysWhatWasLost(t *testing.T) {
	t.Parallel()
	// Ten requests, of which one may be unsent: this machine would have to stand still for 400 ms.
	paced := []string{"--rate", "5", "--duration", "2s"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "report.json")
	run := func(args ...string) (int, string) {
		var out bytes.Buffer
		code := Run(append([]string{"load"}, args...), strings.NewReader("rollout\n"), &out, &out)
		return code, out.String()
	}
	code, said := run(append(paced, server.URL, "--json", file)...)
	assert.Equal(t, 0, code, said)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"lost": 0`)
	code, said = run(append(paced, server.URL+"/broken")...)
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "requests were lost")
	code, said = run()
	assert.Equal(t, 2, code, said)
	assert.Contains(t, said, "expected a URL, or --stack and --workload")
}

func TestAWorkloadIsAskedWhereItsStackSays(t *testing.T) {
	outputs := map[string]any{"urls": map[string]any{"shop": "https://shop.a.test/", "traefik": "https://traefik.a.test/"}, "caCertificate": "pem",
		"addresses": map[string]any{"shop": "10.10.0.206", "traefik": "10.10.0.205"}, "ingressAddress": "10.10.0.205", "apisixAddress": "10.10.0.206"}
	flags := loadFlags{stack: "a", workload: "shop"}
	require.NoError(t, flags.of(outputs))
	assert.Equal(t, "https://shop.a.test/", flags.URL)
	assert.Equal(t, "10.10.0.206:443", flags.ConnectTo, "its own ingress controller's, of two")
	assert.Equal(t, "pem", string(flags.Authority))
	flags = loadFlags{stack: "a", workload: "cart"}
	require.EqualError(t, flags.of(outputs), "stack a has no workload cart with a route; its URLs are of shop, traefik")
}

// A run that proves nothing is no success.
func TestALoadThatWasNotSentIsNoSuccess(t *testing.T) {
	for name, test := range map[string]struct {
		sent, unsent, lost int
		says               string
	}{
		"all":      {sent: 100},
		"nearly":   {sent: 95, unsent: 5},
		"nothing":  {says: "no request was sent"},
		"half":     {sent: 50, unsent: 50, says: "50 of 100 requests were not sent"},
		"and lost": {sent: 50, unsent: 50, lost: 1, says: "1 of 50 requests were lost"},
	} {
		err := verdict(&load.Report{Unsent: test.unsent, Total: load.Phase{Sent: test.sent, Lost: test.lost}})
		if test.says == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, test.says, name)
	}
}
