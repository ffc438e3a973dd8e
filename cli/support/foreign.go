package support

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"strata/config"
)

// foreignKeys are the keys whose values are another program's configuration, with unknown key
// names: the values of charts, the solver of an ACME issuer, arguments of K3s, and the settings of
// a workload.
var foreignKeys = []string{"values", "controllerValues", "dns01", "serverArgs", "agentArgs", "args",
	"env", "files"}

// notShown replaces a text that may contain a secret.
const notShown = "[not shown]"

var (
	// foreignSecret matches names of secrets in another program's configuration. notSecret matches
	// names that only refer to a secret, such as secretName and tokenFile.
	foreignSecret = regexp.MustCompile(
		`(?i)token|passw|passphrase|secret|credential|(api|access|admin|private|encryption|signing)[_-]?keys?`)
	notSecret = regexp.MustCompile(`(?i)(name|file|path|ttl|length|enabled|encryption)s?$|^existing|^create`)
	// plainWord matches a text of at most one word, address or number.
	plainWord = regexp.MustCompile(`^[\w./:-]{0,60}$`)
	// assigned matches an assignment of a value to a secret's name within a text.
	assigned = regexp.MustCompile(
		`(?i)(?:token|passw[a-z]*|secret|credentials?|key)[\w-]*["']?\s*[=: ]\s*["']?([^\s"',;&]{4,})`)
)

// addSecretsIn calls add for each secret within a text of another program's configuration: values
// assigned to secrets' names, and logins in URLs.
func addSecretsIn(text string, add func(string)) {
	for _, found := range assigned.FindAllStringSubmatch(text, -1) {
		add(found[1])
	}
	logins(text, longWord, add)
}

// foreign returns a copy of another program's configuration without secrets. It hides values under
// a secret's name. It also hides texts of more than one word, which may contain a secret anywhere.
// It calls add for each secret, so that other files hide it, too. secret is true below a secret's
// name.
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
	// If the object is an environment variable of a Pod, its name and its value are two keys.
	variable, _ := object["name"].(string)
	for name, inner := range object {
		switch {
		case strings.HasSuffix(name, "Ref"): // a reference to a secret
			shown[name] = inner
		case name == "name":
			shown[name] = foreign(inner, false, add)
		default:
			_, isObject := inner.(map[string]any)
			// An object under a name like auth is not hidden as a whole, because it also contains
			// switches and addresses.
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

// plainSecrets calls add for each secret of a configuration that is not encrypted.
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

// isForeign reports whether the value of a key is another program's configuration. This includes
// the configuration of other Pulumi providers, such as aws:region.
func isForeign(key string) bool {
	namespace, _, section := strings.Cut(key, ":")
	return slices.Contains(foreignKeys, key) || section && namespace != config.Namespace
}
