package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// dns01Providers are the names of cert-manager's DNS-01 solvers (pkg/apis/acme/v1
// ACMEChallengeSolverDNS01).
var dns01Providers = []string{"acmeDNS", "akamai", "azureDNS", "cloudDNS", "cloudflare",
	"digitalocean", "rfc2136", "route53", "webhook"}

// cnameStrategy is the only key of cert-manager's dns01 that is not a solver.
const cnameStrategy = "cnameStrategy"

// dns01 checks that exactly one known solver is configured, and checks the Secrets that it refers
// to. cert-manager's webhook validates the rest.
func (a acmeCheck) dns01() {
	var chosen []string
	for _, name := range slices.Sorted(maps.Keys(a.given.DNS01)) {
		switch {
		case slices.Contains(dns01Providers, name):
			chosen = append(chosen, name)
		case name != cnameStrategy:
			a.add(a.keyPath("dns01."+name), "", "is not a solver of cert-manager",
				suggestion(name, append([]string{cnameStrategy}, dns01Providers...)))
		}
	}
	a.addIf(len(chosen) != 1, a.keyPath("dns01"), "",
		fmt.Sprintf("names %d solvers, expected one", len(chosen)),
		"write one of "+strings.Join(dns01Providers, ", ")+", with what it needs below it")
	a.secrets()
}

// secrets checks each configured Secret, and that the solver refers to the Secret by its name.
func (a acmeCheck) secrets() {
	keys := map[string][]string{}
	for i, secret := range a.given.Secrets {
		key := fmt.Sprintf("secrets[%d].", i)
		switch {
		case len(validation.IsDNS1123Subdomain(secret.Name)) > 0:
			a.add(a.keyPath(key+"name"), secret.Name, "is not a Secret's name",
				"use lower-case letters, digits and dashes, for example dns-token")
		case strings.HasPrefix(secret.Name, "strata-") ||
			strings.HasPrefix(secret.Name, "cert-manager-"):
			a.add(a.keyPath(key+"name"), secret.Name,
				"begins as Secrets of Strata's and cert-manager's own do",
				"choose another, for example dns-token")
		case !mentions(map[string]any(a.given.DNS01), secret.Name):
			a.add(a.keyPath(key+"name"), secret.Name, "is in no reference of certManager.acme.dns01",
				"refer to it, for example apiTokenSecretRef: {name: "+secret.Name+", key: "+
					secret.Key+"}, or remove it")
		}
		a.addIf(len(validation.IsConfigMapKey(secret.Key)) > 0, a.keyPath(key+"key"), secret.Key,
			"is not a key of a Secret",
			"use letters, digits, dashes, dots and underscores, for example token")
		a.addIf(slices.Contains(keys[secret.Name], secret.Key), a.keyPath(key+"key"), secret.Key,
			"is in Secret "+secret.Name+" already", "remove one")
		a.addIf(secret.Value == "", a.keyPath(key+"value"), "", "is empty",
			"run: pulumi config set --secret --path '"+a.keyPath(key+"value")+"'")
		keys[secret.Name] = append(keys[secret.Name], secret.Key)
	}
	a.references("dns01", map[string]any(a.given.DNS01), keys)
}

// references reports each reference to a configured Secret whose key is not among the Secret's
// keys.
func (a acmeCheck) references(at string, value any, keys map[string][]string) {
	object, ok := value.(map[string]any)
	if !ok {
		return
	}
	name, _ := object["name"].(string)
	key, _ := object["key"].(string)
	if has := keys[name]; has != nil && key != "" && !slices.Contains(has, key) {
		a.add(a.keyPath(at+".key"), key, "is not a key of Secret "+name, suggestion(key, has))
	}
	for _, below := range slices.Sorted(maps.Keys(object)) {
		a.references(at+"."+below, object[below], keys)
	}
}

// mentions reports whether a value, or a value nested in it, equals a text.
func mentions(value any, text string) bool {
	switch v := value.(type) {
	case string:
		return v == text
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return mentions(one, text) })
	case map[string]any:
		for _, one := range v {
			if mentions(one, text) {
				return true
			}
		}
	}
	return false
}
