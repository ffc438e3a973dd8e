package support

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"strata/config"
)

// foreignKeys are the keys with another program's configuration: the values of charts, the solver
// of an ACME issuer, arguments of K3s, and the settings of a workload.
var foreignKeys = []string{"values", "controllerValues", "dns01", "serverArgs", "agentArgs", "args",
	"env", "files"}

// notShown replaces a text that may contain a secret.
const notShown = "[not shown]"

var (
	// foreignSecret matches the name of a secret in another program's configuration. notSecret
	// matches names that only say where a secret is, such as secretName and tokenFile.
	foreignSecret = regexp.MustCompile(
		`(?i)token|passw|passphrase|secret|credential|(api|access|admin|private|encryption|signing)[_-]?keys?`)
	notSecret = regexp.MustCompile(`(?i)(name|file|path|ttl|length|enabled|encryption)s?$|^existing|^create`)
	// plainWord matches a text that is at most one word, an address or a number.
	plainWord = regexp.MustCompile(`^[\w./:-]{0,60}$`)
	// assigned finds a value that a text assigns to a secret's name.
	assigned = regexp.MustCompile(
		`(?i)(?:token|passw[a-z]*|secret|credentials?|key)[\w-]*["']?\s*[=: ]\s*["']?([^\s"',;&]{4,})`)
)

// addSecretsIn adds the secrets in a text of another program's configuration: the values of
// secrets' names, and the logins of its addresses.
func addSecretsIn(text string, add func(string)) {
	for _, found := range assigned.FindAllStringSubmatch(text, -1) {
		add(found[1])
	}
	logins(text, longWord, add)
}

// foreign returns a value of another program's configuration without possible secrets. It hides
// texts of more than a word, which may contain a secret anywhere, and values under a secret's name.
// add gets the texts that must not be shown elsewhere either; secret is true below a secret's name.
func foreign(value any, secret bool, add func(string)) any {
	switch value := value.(type) {
	case string:
		addSecretsIn(value, add)
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
			// An object under such a name has switches and addresses as well, so only other values
			// count as a login.
			login := !isObject && strings.HasSuffix(strings.ToLower(name), "auth")
			shown[name] = foreign(inner, secret || login || namesSecret(name) || name == "value" &&
				namesSecret(variable), add)
		}
	}
	return shown
}

func namesSecret(name string) bool {
	return foreignSecret.MatchString(name) && !notSecret.MatchString(name)
}

// plainSecrets adds the texts of a configuration that are secret although they are plain.
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
				addNamed(inner, true, isSecretKey, add)
			default:
				plainSecrets(inner, add)
			}
		}
	}
}

// isForeign reports whether a key has another program's configuration. That includes the section of
// a provider of Pulumi, such as aws:region.
func isForeign(key string) bool {
	namespace, _, section := strings.Cut(key, ":")
	return slices.Contains(foreignKeys, key) || section && namespace != config.Namespace
}
