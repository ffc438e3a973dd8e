package support

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"strata/config"
)

// foreignKeys are those below which the configuration is another program's: the values of charts,
// the solver of an ACME issuer, arguments of K3s, and what a workload is started with.
var foreignKeys = []string{"values", "controllerValues", "dns01", "serverArgs", "agentArgs", "args", "env", "files"}

// notShown stands in the place of a text of which it is not known whether there is a secret in it.
const notShown = "[not shown]"

var (
	// foreignSecret is a name of what is secret in another program's configuration, and not of
	// where a secret is, as secretName and tokenFile.
	foreignSecret = regexp.MustCompile(`(?i)token|passw|passphrase|secret|credential|(api|access|admin|private|encryption|signing)[_-]?keys?`)
	notSecret     = regexp.MustCompile(`(?i)(name|file|path|ttl|length|enabled|encryption)s?$|^existing|^create`)
	// plainWord is a text that can be no more than one word, an address or a number.
	plainWord = regexp.MustCompile(`^[\w./:-]{0,60}$`)
	// assigned finds a value that a text assigns to a name of secrets.
	assigned = regexp.MustCompile(`(?i)(?:token|passw[a-z]*|secret|credentials?|key)[\w-]*["']?\s*[=: ]\s*["']?([^\s"',;&]{4,})`)
)

// within adds the secrets in a text of another program's configuration: the values of names of
// secrets, and the logins of its addresses.
func within(text string, add func(string)) {
	for _, found := range assigned.FindAllStringSubmatch(text, -1) {
		add(found[1])
	}
	logins(text, longWord, add)
}

// foreign is a value of another program's configuration as it may be shown: texts that are more
// than a word are not, since they may hold a secret anywhere, nor is what a name says is one. add
// gets what must not be shown anywhere else either; secret is what the names above the value say.
func foreign(value any, secret bool, add func(string)) any {
	switch value := value.(type) {
	case string:
		within(value, add)
		switch {
		case value == config.Sealed:
		case secret:
			add(value)
			return redacted
		case !plainWord.MatchString(value):
			return notShown
		}
	case json.Number:
		if secret {
			add(value.String())
			return redacted
		}
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = foreign(value[i], secret, add)
		}
		return list
	case map[string]any:
		return foreignObject(value, secret, add)
	}
	return value
}

func foreignObject(object map[string]any, secret bool, add func(string)) map[string]any {
	shown := map[string]any{}
	variable, _ := object["name"].(string) // of a Pod, with its value
	for name, inner := range object {
		switch {
		case strings.HasSuffix(name, "Ref"): // where a secret is
			shown[name] = inner
		case name == "name":
			shown[name] = foreign(inner, false, add)
		default:
			_, isObject := inner.(map[string]any)
			login := !isObject && strings.HasSuffix(strings.ToLower(name), "auth") // an object has switches and addresses as well
			shown[name] = foreign(inner, secret || login || namesSecret(name) || name == "value" && namesSecret(variable), add)
		}
	}
	return shown
}

func namesSecret(name string) bool {
	return foreignSecret.MatchString(name) && !notSecret.MatchString(name)
}

// plainSecrets are the texts that a configuration has in plain and that must not be shown.
func plainSecrets(value any, add func(string)) {
	switch value := value.(type) {
	case []any:
		for _, inner := range value {
			plainSecrets(inner, add)
		}
	case map[string]any:
		for key, inner := range value {
			switch {
			case isForeign(key):
				foreign(inner, namesSecret(key), add)
			case isSecretKey(key):
				named(inner, true, isSecretKey, add)
			default:
				plainSecrets(inner, add)
			}
		}
	}
}

// isForeign also knows a section of a provider of Pulumi's own, as aws:region.
func isForeign(key string) bool {
	namespace, _, section := strings.Cut(key, ":")
	return slices.Contains(foreignKeys, key) || section && namespace != config.Namespace
}
