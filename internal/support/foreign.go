package support

import (
	"regexp"
	"slices"
)

// foreignKeys are those below which the configuration is another program's: the values of a chart, the solver of an ACME issuer.
var foreignKeys = []string{"values", "dns01"}

// notSecret are names of another program's configuration that say where a secret is, and not what it is.
var notSecret = regexp.MustCompile(`(?i)(name|file|path|ref)s?$|^existing`)

// foreignSecrets are the texts that another program's configuration has in plain under a name of secrets.
func foreignSecrets(value any, add func(string)) {
	switch value := value.(type) {
	case []any:
		for _, inner := range value {
			foreignSecrets(inner, add)
		}
	case map[string]any:
		for key, inner := range value {
			if slices.Contains(foreignKeys, key) {
				named(inner, false, func(name string) bool { return nameOfSecrets.MatchString(name) && !notSecret.MatchString(name) }, add)
			} else {
				foreignSecrets(inner, add)
			}
		}
	}
}
