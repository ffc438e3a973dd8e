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
	// redacted is the text that replaces a secret.
	redacted = "[redacted]"
	// shortest is the least length of a secret that is replaced: a shorter text occurs everywhere.
	shortest = 4
	// longWord is the least length of a word that counts as a secret on its own within a longer
	// secret, such as a line of a private key.
	longWord = 20
	// embedded is the least length of a secret that is also replaced within longer base64.
	embedded = 8
)

// redactor replaces secrets.
type redactor struct{ replacer *strings.Replacer }

// newRedactor returns a redactor of stateSecrets, which are the texts in a state's secrets, and of
// others. It does not replace a text of stateSecrets that is also in plain.
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

// replacerOf returns a replacer that tries longer secrets first, because one secret may be a part
// of another.
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

func (r redactor) redact(content []byte) []byte {
	return []byte(r.replacer.Replace(string(content)))
}

func (r redactor) text(text string) string { return r.replacer.Replace(text) }

// parts calls add for each part of a text that may appear on its own. These are the text itself,
// texts in its JSON, values under secrets' names in its YAML, and logins in its URLs. If the text
// has several words, it also adds those of at least wordLength. It decodes words in base64, and
// adds their parts as well.
func parts(text string, wordLength int, add func(string)) {
	text = strings.TrimSpace(text)
	add(text)
	logins(text, wordLength, add)
	deeper := func(inner string) { parts(inner, wordLength, add) }
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err == nil {
		texts(tree, deeper)
	} else if strings.Contains(text, "\n") && yaml.Unmarshal([]byte(text), &tree) == nil {
		addNamed(tree, false, nameOfSecrets.MatchString, deeper)
	}
	words := strings.Fields(text)
	for _, word := range words {
		word = strings.Trim(word, `"',`)
		if key := strings.HasSuffix(word, ":"); len(words) > 1 && len(word) >= wordLength && !key {
			add(word)
		}
		if decoded, err := base64.StdEncoding.DecodeString(word); err == nil &&
			len(decoded) >= shortest && readable(decoded) {
			deeper(string(decoded))
		}
	}
}

// readable reports whether decoded content is printable text. Otherwise the word was not base64.
func readable(content []byte) bool {
	return utf8.Valid(content) &&
		!bytes.ContainsFunc(content, func(c rune) bool {
			return !unicode.IsPrint(c) &&
				!unicode.IsSpace(c)
		})
}

// nameOfSecrets matches names of secrets in a kubeconfig, in K3s's config.yaml and in a chart's
// values. A value under such a name is a secret even if it is shorter than longWord.
var nameOfSecrets = regexp.MustCompile(`(?i)token|password|secret|key`)

// addNamed calls add for each text below a name for which ofSecrets is true. secret is true if
// value is below such a name already.
func addNamed(value any, secret bool, ofSecrets func(name string) bool, add func(string)) {
	switch value := value.(type) {
	case string:
		if secret {
			add(value)
		}
	case []any:
		for _, inner := range value {
			addNamed(inner, secret, ofSecrets, add)
		}
	case map[string]any:
		for name, inner := range value {
			addNamed(inner, secret || ofSecrets(name), ofSecrets, add)
		}
	}
}

// texts calls add for each string in a JSON value.
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

// forms returns a secret in every encoding in which other programs may print it.
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
	for _, form := range encodings(secret) {
		all = append(all, form, strings.NewReplacer("+", "-", "/", "_").Replace(form)) // base64url
	}
	return all
}

// encodings returns the base64 of a secret without padding. For a secret of at least embedded
// bytes, it adds the parts that the base64 of a longer text contains, one for each possible offset.
// These parts lack the characters that also encode neighbouring bytes.
func encodings(secret string) []string {
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
