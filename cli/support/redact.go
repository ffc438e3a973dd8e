package support

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

const (
	// redacted stands in the place of a secret.
	redacted = "[redacted]"
	// shortest is from how many characters on a text is looked for: what is shorter is found in
	// every second word.
	shortest = 4
	// longWord is from how many characters on a word of a secret that has several is a secret on
	// its own, as each line of a key is.
	longWord = 20
	// embedded is from how many characters on a text is also looked for in the base64 of something
	// longer.
	embedded = 8
)

// redactor replaces secrets.
type redactor struct{ replacer *strings.Replacer }

// newRedactor makes the redactor of the texts in a state's secrets, unless the state has them in
// plain as well, and of other secrets.
func newRedactor(stateSecrets, plain, others []string) redactor {
	known := map[string]bool{}
	for _, text := range plain {
		parts(text, 1, func(part string) { known[part] = true })
	}
	secrets := map[string]bool{}
	for _, text := range stateSecrets {
		parts(text, longWord, func(part string) { secrets[part] = !known[part] })
	}
	for _, text := range others {
		parts(text, longWord, func(part string) { secrets[part] = true })
	}
	found := map[string]bool{}
	for secret, is := range secrets {
		if !is || len(secret) < shortest {
			continue
		}
		for _, form := range forms(secret) {
			found[form] = true
		}
	}
	return redactor{replacerOf(found)}
}

// replacerOf replaces the longest first: one secret may be a part of another.
func replacerOf(found map[string]bool) *strings.Replacer {
	var all []string
	for form := range found {
		all = append(all, form)
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range all {
		pairs = append(pairs, form, redacted)
	}
	return strings.NewReplacer(pairs...)
}

func (r redactor) redact(content []byte) []byte { return []byte(r.replacer.Replace(string(content))) }

func (r redactor) text(text string) string { return r.replacer.Replace(text) }

// parts adds the parts of a text that may appear on their own: the text, those in its JSON, the
// values in its YAML of names of secrets, the logins of its addresses, its words from some length
// on if it has several, and the base64 of any of these.
func parts(text string, wordLength int, add func(string)) {
	text = strings.TrimSpace(text)
	add(text)
	logins(text, wordLength, add)
	deeper := func(inner string) { parts(inner, wordLength, add) }
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err == nil {
		texts(tree, deeper)
	} else if strings.Contains(text, "\n") && yaml.Unmarshal([]byte(text), &tree) == nil {
		named(tree, false, nameOfSecrets.MatchString, deeper)
	}
	words := strings.Fields(text)
	for _, word := range words {
		word = strings.Trim(word, `"',`)
		if key := strings.HasSuffix(word, ":"); len(words) > 1 && len(word) >= wordLength && !key {
			add(word)
		}
		if decoded, err := base64.StdEncoding.DecodeString(word); err == nil && len(decoded) >= shortest && readable(decoded) {
			deeper(string(decoded))
		}
	}
}

// readable tells a text from what is the base64 of anything else.
func readable(content []byte) bool {
	return utf8.Valid(content) && !bytes.ContainsFunc(content, func(c rune) bool { return !unicode.IsPrint(c) && !unicode.IsSpace(c) })
}

// nameOfSecrets matches the names of secrets in a kubeconfig, K3s's config.yaml or a chart's
// values, however short the secret is.
var nameOfSecrets = regexp.MustCompile(`(?i)token|password|secret|key`)

// named are the texts below a name that is one of secrets.
func named(value any, secret bool, ofSecrets func(name string) bool, add func(string)) {
	switch value := value.(type) {
	case string:
		if secret {
			add(value)
		}
	case []any:
		for _, inner := range value {
			named(inner, secret, ofSecrets, add)
		}
	case map[string]any:
		for name, inner := range value {
			named(inner, secret || ofSecrets(name), ofSecrets, add)
		}
	}
}

// texts are the texts in a JSON value.
func texts(value any, add func(string)) {
	switch value := value.(type) {
	case string:
		add(value)
	case []any:
		for _, inner := range value {
			texts(inner, add)
		}
	case map[string]any:
		for _, inner := range value {
			texts(inner, add)
		}
	}
}

// forms returns the encodings in which a secret may be written.
func forms(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), strings.ReplaceAll(secret, "'", "''")}
	for _, html := range []bool{true, false} {
		var quoted bytes.Buffer
		encoder := json.NewEncoder(&quoted)
		encoder.SetEscapeHTML(html)
		if encoder.Encode(secret) == nil {
			text := strings.TrimSpace(quoted.String())
			all = append(all, text[1:len(text)-1])
		}
	}
	for _, form := range encoded(secret) {
		all = append(all, form, strings.NewReplacer("+", "-", "/", "_").Replace(form)) // base64url
	}
	return all
}

// encoded are a secret's base64, without padding: alone, and where it begins at each place of a
// group of three bytes in something longer, less the characters that hold bits of what is before
// and after it.
func encoded(secret string) []string {
	all := []string{base64.RawStdEncoding.EncodeToString([]byte(secret))}
	if len(secret) < embedded {
		return all
	}
	for before := range 3 {
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), secret...))
		all = append(all, text[(before*8+5)/6:(before+len(secret))*8/6])
	}
	return all
}
