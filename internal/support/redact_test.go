package support

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hidden is a text after its redaction, which must not be what it was, and whose rest must be as it was.
func hidden(t *testing.T, r redactor, before, secret, after string) {
	t.Helper()
	assert.Equal(t, before+redacted+after, r.text(before+secret+after))
}

func TestASecretIsReplacedInEveryForm(t *testing.T) {
	const password = `p4ss"w<rd'&é/+`
	r := newRedactor([]string{password}, nil, nil)
	hidden(t, r, "password=", password, ", and on")
	asJSON, err := json.Marshal(password)
	require.NoError(t, err)
	hidden(t, r, `{"a":"`, strings.Trim(string(asJSON), `"`), `"}`)
	hidden(t, r, `{"a":"`, strings.ReplaceAll(password, `"`, `\"`), `"}`)
	hidden(t, r, "?password=", url.QueryEscape(password), "&b=c")
	hidden(t, r, "a: '", strings.ReplaceAll(password, "'", "''"), "'")
	hidden(t, r, "data: ", base64.RawStdEncoding.EncodeToString([]byte(password)), "")
	hidden(t, r, "data: ", base64.RawURLEncoding.EncodeToString([]byte(password)), "")
}

// Basic authentication, and a Secret that holds more than the password, have it at any place.
func TestASecretIsReplacedInTheBase64OfSomethingLonger(t *testing.T) {
	const password = "correct-horse-battery"
	r := newRedactor([]string{password}, nil, nil)
	for _, before := range []string{"", "a", "ab", "abc", "admin:"} {
		for _, after := range []string{"", "\n", "!!", "and more"} {
			encoded := base64.StdEncoding.EncodeToString([]byte(before + password + after))
			text := r.text("Basic " + encoded + " end")
			assert.Contains(t, text, redacted, before+"…"+after)
			for _, part := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" []", c) }) {
				decoded, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(part, "="))
				assert.NotContains(t, string(decoded), "horse", before+"…"+after)
			}
		}
	}
}

func TestEachLineOfAKeyIsASecretAndSoIsAKeyInAKubeconfig(t *testing.T) {
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte(strings.Repeat("hunter2 is no password. ", 8))}))
	lines := strings.Split(strings.TrimSpace(key), "\n")
	require.Greater(t, len(lines), 4)
	kubeconfig := "users:\n- name: default\n  user:\n    client-key-data: " + base64.StdEncoding.EncodeToString([]byte(key)) + "\n    server: https://10.10.0.11:6443\n"
	for name, r := range map[string]redactor{
		"a key": newRedactor([]string{key}, nil, nil), "in a kubeconfig": newRedactor([]string{kubeconfig}, []string{`{"servers":["https://10.10.0.11:6443"]}`}, nil),
		"in JSON": newRedactor([]string{`{"keys":[` + quoted(t, key) + `]}`}, nil, nil),
	} {
		for _, line := range lines[1 : len(lines)-2] {
			assert.Equal(t, "    "+redacted, r.text("    "+line), name)
		}
		assert.Equal(t, "https://10.10.0.11:6443", r.text("https://10.10.0.11:6443"), name)
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	asJSON, err := json.Marshal(text)
	require.NoError(t, err)
	return string(asJSON)
}

func TestWhatTheStateHasInPlainIsNoSecretAndWhatThePersonEncryptedIs(t *testing.T) {
	stdin := `{"hosts":[{"name":"server-1","address":"10.10.0.11"}]}`
	r := newRedactor([]string{`{"host":"10.10.0.11","user":"root","password":"hunter2"}`}, []string{stdin, "exec ssh root"}, nil)
	assert.Equal(t, "root at 10.10.0.11 with "+redacted, r.text("root at 10.10.0.11 with hunter2"))
	r = newRedactor(nil, []string{"server-1"}, []string{"server-1"})
	assert.Equal(t, redacted, r.text("server-1"))
}

func TestALongerSecretIsReplacedBeforeItsPart(t *testing.T) {
	r := newRedactor([]string{"hunter2", "hunter2-and-more"}, nil, nil)
	assert.Equal(t, redacted+" "+redacted, r.text("hunter2-and-more hunter2"))
	assert.Equal(t, "abc", newRedactor([]string{"abc", ""}, nil, nil).text("abc"), "what is shorter than four characters stays")
}

func TestAShortSecretIsFoundByItsNameInYAMLAndInBase64(t *testing.T) {
	r := newRedactor([]string{"users:\n- name: default\n  user:\n    token: abc123\n", base64.StdEncoding.EncodeToString([]byte("hunter2"))}, nil, nil)
	assert.Equal(t, "default has "+redacted+" and "+redacted, r.text("default has abc123 and hunter2"))
}
