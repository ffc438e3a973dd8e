package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// shortestSecret is the least length of a secret for which the story searches. Shorter texts
	// also occur inside other words.
	shortestSecret = 8
	// keyWord is the least length of a word in a secret of several lines for which the story also
	// searches. Such words are lines of a private key or the data in a kubeconfig.
	keyWord = 40
)

// supportLeaksNothing makes the archive of `strata support`. No file in it may contain a secret of
// the state, or one of the given secrets of the configuration.
func (s *stack) supportLeaksNothing(t *testing.T, configured ...string) {
	file := filepath.Join(t.TempDir(), "support.tar.gz")
	r := s.must(s.run(strata, "support", "--stack", s.name, "--config-file", s.config, "--output",
		file, "--timeout", patient, "--gate-timeout", patient))
	require.NotContains(t, r.output, "missing, or not whole",
		"what was not collected was not searched")
	secrets := secretsOf(t, s.exported())
	require.NotEmpty(t, secrets, "the state has no secret")
	require.True(t, slices.Contains(secrets, strings.TrimSpace(s.output("kubeconfig"))),
		"the search does not find what is a secret of the state")
	for _, one := range append(configured, passphrase) {
		secrets = append(secrets, one, base64.RawStdEncoding.EncodeToString([]byte(one)))
	}
	content := gunzipped(t, file)
	for _, name := range []string{"stack.yaml", "state.txt", "health.json", "hosts/server-1.txt", "cluster/pods.txt"} {
		require.NotEmpty(t, content["strata-support-"+s.name+"/"+name], name)
	}
	content["what it prints"] = []byte(r.output)
	t.Logf("%d secrets, %d files", len(secrets), len(content))
	for _, secret := range secrets {
		for name, text := range content {
			// assert.NotContains would print the whole file.
			assert.False(t, bytes.Contains(text, []byte(secret)),
				"%s has a secret of %d characters that begins with %.12s", name,
				len(secret), secret)
		}
	}
}

// gunzipped returns the files of a tar.gz.
func gunzipped(t *testing.T, path string) map[string][]byte {
	t.Helper()
	packed, err := os.ReadFile(path)
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	return filesOf(t, reader)
}

// secretsOf returns the secret texts of a state, and the long words of secrets with several lines.
// It omits texts that the state also has in plain: Pulumi marks whole objects as secret, which may
// have a host's name beside a password.
func secretsOf(t *testing.T, export []byte) []string {
	t.Helper()
	var tree any
	require.NoError(t, json.Unmarshal(export, &tree))
	var found leaves
	found.add(t, tree, &found.plain)
	plain := strings.Join(found.plain, "\n")
	known := map[string]bool{}
	var secrets []string
	for _, text := range found.secret {
		candidates := []string{strings.TrimSpace(text)}
		if strings.Contains(text, "\n") {
			candidates = append(candidates, longWords(text)...)
		}
		for _, one := range candidates {
			if len(one) >= shortestSecret && !known[one] && !strings.Contains(plain, one) {
				known[one] = true
				secrets = append(secrets, one)
			}
		}
	}
	return secrets
}

func longWords(text string) (long []string) {
	for _, word := range strings.Fields(text) {
		if word = strings.Trim(word, `"',`); len(word) >= keyWord {
			long = append(long, word)
		}
	}
	return long
}

// leaves has the secret and the plain texts of a state.
type leaves struct{ secret, plain []string }

// add collects the texts of a value. If a text is JSON, it also collects the texts in it. It
// appends texts outside the value's secrets to into.
func (l *leaves) add(t *testing.T, value any, into *[]string) {
	t.Helper()
	switch value := value.(type) {
	case string:
		*into = append(*into, value)
		var inner any
		if json.Unmarshal([]byte(value), &inner) == nil {
			l.add(t, inner, into)
		}
	case []any:
		for _, inner := range value {
			l.add(t, inner, into)
		}
	case map[string]any:
		if value[sig.Key] == sig.Secret {
			l.reveal(t, value)
			return
		}
		for _, inner := range value {
			l.add(t, inner, into)
		}
	}
}

// reveal collects the texts of a secret.
func (l *leaves) reveal(t *testing.T, value map[string]any) {
	t.Helper()
	text, ok := value["plaintext"].(string)
	require.True(t, ok, "a secret is still encrypted")
	var inner any
	require.NoError(t, json.Unmarshal([]byte(text), &inner))
	l.add(t, inner, &l.secret)
}
