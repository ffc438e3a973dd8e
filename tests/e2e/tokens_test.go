package e2e

import (
	"crypto/tls"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tokenOf returns the token in a host's config.yaml: in its full format, and only its password.
func (l *hostSet) tokenOf(name string) (written, password string) {
	l.t.Helper()
	written = strings.TrimSpace(l.must(name,
		"sed -n 's/^token: *//p' /etc/rancher/k3s/config.yaml"))
	return written, written[strings.LastIndex(written, ":")+1:]
}

// givesOutKeys requests the keys of the cluster's CAs from a server, with a token's password. It
// returns the HTTP status of the answer.
func (l *hostSet) givesOutKeys(t *testing.T, server node, password string) int {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		"https://"+l.net.address(server.host)+":6443/v1-k3s/server-bootstrap", nil)
	require.NoError(t, err)
	request.SetBasicAuth("server", password)
	response, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// changesTokens changes the cluster's tokens by an update that is killed between two servers. Then
// every server must refuse a former token.
func (s *stack) changesTokens(
	t *testing.T, hosts *hostSet, sections map[string]any, killed string,
) {
	first := hosts.serverNodes()[0]
	_, former := hosts.tokenOf(first.name)
	require.Equal(t, http.StatusOK, hosts.givesOutKeys(t, first, former))
	sections = maps.Clone(sections)
	sections["k3s"] = map[string]any{"tokenGeneration": 1}
	s.configure(sections)
	if killed == "" {
		s.must(s.up())
	} else {
		s.killedUpConverges(t, killed)
	}
	for _, server := range hosts.serverNodes() {
		written, password := hosts.tokenOf(server.name)
		assert.NotEqual(t, former, password, server.name)
		assert.Equal(t, http.StatusUnauthorized, hosts.givesOutKeys(t, server, former), server.name)
		assert.Equal(t, http.StatusOK, hosts.givesOutKeys(t, server, password), server.name)
		if server.name != first.name {
			assert.Regexp(t, `^K10[0-9a-f]{64}::server:`, written,
				"%s has joined, and has verified the CA before", server.name)
		}
	}
	for _, n := range hosts.nodes {
		if n.role == "agent" {
			written, password := hosts.tokenOf(n.name)
			assert.Regexp(t, `^K10[0-9a-f]{64}::node:`, written, n.name)
			assert.Equal(t, http.StatusUnauthorized, hosts.givesOutKeys(t, first, password),
				"an agent's token gives out no keys")
		}
	}
	s.healthy()
	s.must(s.up("--expect-no-changes"))
	sections["k3s"] = map[string]any{}
	s.configure(sections)
	s.refused(t, s.up(), "strata:k3s.tokenGeneration: expected at least 1, which the stack has, found 0")
	sections["k3s"] = map[string]any{"tokenGeneration": 1}
	s.configure(sections)
	s.must(s.up())
}
