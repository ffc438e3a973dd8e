package main

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

func TestLoadReportsLostRequests(t *testing.T) {
	t.Parallel()
	// One of the ten requests may stay unsent. Two stay unsent only if this machine pauses for 400
	// ms.
	paced := []string{"--rate", "5", "--duration", "2s"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "report.json")
	load := func(args ...string) (int, string) {
		var out bytes.Buffer
		code := run(t.Context(), args, strings.NewReader("rollout\n"), &out, &out)
		return code, out.String()
	}
	code, output := load(append(paced, server.URL, "--json", file)...)
	assert.Equal(t, 0, code, output)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"lost": 0`)
	code, output = load(append(paced, server.URL+"/broken")...)
	assert.Equal(t, 1, code, output)
	assert.Contains(t, output, "requests were lost")
	code, output = load()
	assert.Equal(t, 2, code, output)
	assert.Contains(t, output, "expected a URL, or --stack and --workload")
}
