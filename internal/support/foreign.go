package support

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"strata/config"
)

// foreignKeys are those below which the configuration is another program's: the values of charts, the solver of an ACME issuer, arguments of K3s, and
// what a workload is started with.
var foreignKeys = []string{"values", "controllerValues", "dns01", "serverArgs", "agentArgs", "args", "env", "files"}

// reading takes the secrets out of a configuration.
type reading struct {
	// add gets each secret that is to be looked for elsewhere, took each that was taken out. Neither is nil.
	add, took func(string)
}

// foreign is a value of another program's configuration without its secrets, which are known by their names and by what texts show.
func (r reading) foreign(value any, as secrecy) any {
	switch value := value.(type) {
	case string:
		return r.foreignText(value, as)
	case json.Number, float64, int64:
		return r.number(value, as)
	case []any:
		list := make([]any, len(value))
		for i, inner := range value {
			list[i] = r.foreign(inner, max(as, afterFlag(value, i)))
		}
		return list
	case map[string]any:
		if config.Encrypted(value) {
			return config.Sealed
		}
		object := map[string]any{}
		for name, inner := range value {
			if object[name] = inner; !isReference(name) {
				object[name] = r.foreign(inner, below(as, value, name))
			}
		}
		return object
	}
	return value
}

// afterFlag is what an argument's name says of the argument after it.
func afterFlag(list []any, i int) secrecy {
	if i == 0 {
		return open
	}
	before, _ := list[i-1].(string)
	if this, isText := list[i].(string); !isText || !strings.HasPrefix(before, "-") || strings.HasPrefix(this, "-") || strings.Contains(before, "=") {
		return open
	}
	if secrecyOf(before) == secret {
		return secret
	}
	return open
}

func (r reading) foreignText(text string, as secrecy) string {
	if text == "" || saysNothing.MatchString(text) {
		return text
	}
	if shown, is := r.document(text, as); is {
		return shown
	}
	found := append(plainSecrets(text), settings(text)...)
	for _, one := range found {
		r.hide(unescaped(one)...)
	}
	if as == secret || as == likely && len(found) == 0 && likelySecret(text) {
		r.hide(append(lines(text, shortest), text)...)
		r.took(text)
		return redacted
	}
	return r.out(text, found)
}

// document is a text that is itself JSON or YAML with names, without its secrets.
func (r reading) document(text string, as secrecy) (shown string, is bool) {
	if begins := strings.TrimSpace(text); !strings.HasPrefix(begins, "{") && !strings.HasPrefix(begins, "[") && !strings.Contains(begins, "\n") {
		return "", false
	}
	var tree any
	if strings.Contains(text, "-----BEGIN ") || yaml.Unmarshal([]byte(text), &tree) != nil {
		return "", false
	}
	switch tree.(type) {
	case map[string]any, []any:
	default:
		return "", false
	}
	found := append(plainSecrets(text), settings(text)...)
	for _, one := range found {
		r.hide(unescaped(one)...)
	}
	inner := reading{add: r.add, took: func(one string) {
		for line := range strings.SplitSeq(one, "\n") {
			found = append(found, forms(strings.TrimSpace(line))...)
		}
	}}
	inner.foreign(tree, as)
	return r.out(text, present(found)), true
}

// out is a text without what was found in it.
func (r reading) out(text string, found []string) string {
	for _, one := range found {
		r.took(one)
	}
	return without(text, found)
}

// hide adds what can be looked for elsewhere.
func (r reading) hide(texts ...string) {
	for _, text := range texts {
		if tellsApart(text) {
			r.add(text)
		}
	}
}

// number is a number, which is a secret under the name of one: a chart takes `password: 20240917` for one.
func (r reading) number(value any, as secrecy) any {
	if as != secret {
		return value
	}
	written := numberForms(value)
	if tellsApart(written[0]) {
		for _, form := range written {
			r.add(form)
		}
	}
	r.took(written[0])
	return redacted
}

// numberForms are how a number is written: in YAML and JSON, and by templates of charts, to which each number is one with a fraction.
func numberForms(value any) []string {
	text := fmt.Sprint(value)
	asFloat, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return []string{text}
	}
	if _, is := value.(float64); is {
		text = strconv.FormatFloat(asFloat, 'f', -1, 64)
	}
	return []string{text, fmt.Sprint(asFloat)}
}
