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

// hidden asserts that the secret part of a text is redacted, and that the rest is unchanged.
func hidden(t *testing.T, r redactor, before, secret, after string) {
	t.Helper()
	assert.Equal(t, before+redacted+after, r.text(before+secret+after))
}

func TestSecretIsRedactedInEveryEncoding(t *testing.T) {
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

// Basic authentication, or a Secret with more than the password, has the password at any offset in
// its base64.
func TestSecretIsRedactedInsideLongerBase64(t *testing.T) {
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

func TestEachLineOfPrivateKeyIsRedacted(t *testing.T) {
	key := string(
		pem.EncodeToMemory(
			&pem.Block{Type: "PRIVATE KEY",
				Bytes: []byte(strings.Repeat("hunter2 is no password. ", 8))}))
	lines := strings.Split(strings.TrimSpace(key), "\n")
	require.Greater(t, len(lines), 4)
	kubeconfig := "users:\n- name: default\n  user:\n    client-key-data: " +
		base64.StdEncoding.EncodeToString([]byte(key)) + "\n    server: https://10.10.0.11:6443\n"
	for name, r := range map[string]redactor{
		"a key": newRedactor([]string{key}, nil, nil),
		"in a kubeconfig": newRedactor([]string{kubeconfig},
			[]string{`{"servers":["https://10.10.0.11:6443"]}`}, nil),
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

func TestPlainStateValuesStayUnlessUserEncryptedThem(t *testing.T) {
	stdin := `{"hosts":[{"name":"server-1","address":"10.10.0.11"}]}`
	r := newRedactor([]string{`{"host":"10.10.0.11","user":"root","password":"hunter2"}`},
		[]string{stdin, "exec ssh root"}, nil)
	assert.Equal(t, "root at 10.10.0.11 with "+redacted, r.text("root at 10.10.0.11 with hunter2"))
	r = newRedactor(nil, []string{"server-1"}, []string{"server-1"})
	assert.Equal(t, redacted, r.text("server-1"))
}

func TestLongerSecretIsRedactedBeforeItsSubstring(t *testing.T) {
	r := newRedactor([]string{"hunter2", "hunter2-and-more"}, nil, nil)
	assert.Equal(t, redacted+" "+redacted, r.text("hunter2-and-more hunter2"))
	assert.Equal(t, "abc", newRedactor([]string{"abc", ""}, nil, nil).text("abc"),
		"what is shorter than four characters stays")
}

func TestShortSecretInYAMLOrBase64IsRedacted(t *testing.T) {
	r := newRedactor(
		[]string{"users:\n- name: default\n  user:\n    token: abc123\n",
			base64.StdEncoding.EncodeToString([]byte("hunter2"))}, nil, nil)
	assert.Equal(t, "default has "+redacted+" and "+redacted,
		r.text("default has abc123 and hunter2"))
}

// If a proxy or a database refuses a client, the client logs the login without its address. Clients
// also rewrite an address before they quote it.
func TestURLLoginIsRedactedWithoutURL(t *testing.T) {
	const plain, escaped = "http://strata:pa55word-long@proxy.corp:3128",
		"http://strata:p%40ss-word1@proxy.corp:3128/"
	basic := func(login string) string { return base64.StdEncoding.EncodeToString([]byte(login)) }
	for name, one := range map[string]struct{ secret, journal, leak string }{
		"the password alone": {plain, "user strata, password pa55word-long", "pa55word"},
		"the login of basic auth": {plain,
			"Proxy-Authorization: Basic " + basic("strata:pa55word-long"), basic("strata:pa55w")},
		"a short login of basic auth": {"http://strata:pa55@proxy.corp:3128",
			"Basic " + basic("strata:pa55") + " end", basic("strata:pa55")[6:]},
		"a slash more": {plain, "HTTPS_PROXY=" + plain + "/", "pa55word"},
		"a slash less": {escaped,
			"dial " + strings.TrimSuffix(escaped, "/") + ": lookup failed", "proxy.corp"},
		"the password without escapes": {escaped, "password p@ss-word1", "ss-word1"},
		"an escaped login of basic auth": {escaped, "Basic " + basic("strata:p@ss-word1"),
			basic("strata:p@ss-")},
		"an address in a file": {"# proxy\nHTTPS_PROXY='" + plain + "'\n",
			"password pa55word-long", "pa55word"},
		"an address in JSON": {`{"dsn":"` + plain + `"}`, "password pa55word-long", "pa55word"},
		"an at sign in it": {"postgres://me:hunter2@home@db/x?sslmode=on",
			"password hunter2@home", "hunter2"},
		"a percent sign that is no code": {"postgres://me:hunter2%home@db/x",
			"password hunter2%home", "hunter2"},
		"an address that Go wrote": {"http://me:p!ss$word@proxy.corp",
			"dial http://me:p%21ss$word@proxy.corp failed", "ss$word"},
		"a token in place of a user": {"https://ghp_0123456789abcdefghij@git.corp/a",
			"token ghp_0123456789abcdefghij", "ghp_"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []redactor{newRedactor([]string{one.secret}, nil, nil),
				newRedactor(nil, nil, []string{one.secret})} {
				assert.Contains(t, one.journal, one.leak, "the test looks for the wrong text")
				assert.NotContains(t, r.text(one.journal), one.leak)
			}
		})
	}
}

func TestShortURLLoginDoesNotRedactOtherTexts(t *testing.T) {
	for _, secret := range []string{"http://agent:@proxy.corp", "http://agent:1@proxy.corp",
		"ssh://agent@proxy.corp", "https://proxy.corp:3128/agent"} {
		const journal = "agent:1 agent: agent agent@proxy.corp http://proxy.corp"
		assert.Equal(t, journal, newRedactor([]string{secret}, nil, nil).text(journal), secret)
	}
}
