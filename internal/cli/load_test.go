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
)

func TestLoadSaysWhatWasLost(t *testing.T) {
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
	code, said := run(server.URL, "--rate", "50", "--duration", "200ms", "--json", file)
	assert.Equal(t, 0, code, said)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"lost": 0`)
	code, said = run(server.URL+"/broken", "--rate", "50", "--duration", "200ms")
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "requests were lost")
	code, said = run()
	assert.Equal(t, 2, code, said)
	assert.Contains(t, said, "expected a URL, or --stack and --workload")
}

func TestAWorkloadIsAskedWhereItsStackSays(t *testing.T) {
	outputs := map[string]any{"urls": map[string]any{"shop": "https://shop.a.test/", "traefik": "https://traefik.a.test/"}, "caCertificate": "pem", "ingressAddress": "10.10.0.205"}
	flags := loadFlags{stack: "a", workload: "shop"}
	require.NoError(t, flags.of(outputs))
	assert.Equal(t, "https://shop.a.test/", flags.URL)
	assert.Equal(t, "10.10.0.205:443", flags.ConnectTo)
	assert.Equal(t, "pem", string(flags.Authority))
	flags = loadFlags{stack: "a", workload: "cart"}
	require.EqualError(t, flags.of(outputs), "stack a has no workload cart with a route; its URLs are of shop, traefik")
}
