package support

import (
	"regexp"
	"slices"
	"strings"
)

// secrecy is what a name says of what is below it in another program's configuration.
type secrecy int

const (
	// open: nothing secret, but for what a text shows itself.
	open secrecy = iota
	// likely: a secret where it is of some length, as below `auth`: it may as well be `enabled` or `kubernetes`.
	likely
	// secret: a secret, as below `password`.
	secret
)

// ofPublicKeys are names whose objects have no secret either.
const ofPublicKeys = `^public|public[_-]?keys?$`

var (
	publicKeyName = regexp.MustCompile(`(?i)` + ofPublicKeys)
	// secretWord is a word in the name of a secret: alone, as in `db-password`, or one of several that are written as one, as in `apikey`.
	secretWord = regexp.MustCompile(`(?:token|password|passwd|passphrase|secret|credential|key)s?[0-9]*$|^(?:pass|pwd|pw|psk|creds?|pat|jwt|otp)[0-9]*$|` +
		`^(?:password|passwd|secretkey|accesskey|apikey)`)
	// likelyWord is a word in the name of what often has one.
	likelyWord = regexp.MustCompile(`^(?:auth|basicauth|authentication|authorization|logins?|dsn)$`)
	// connection is the name of a data source.
	connection = regexp.MustCompile(`(?i)conn(?:ection)?[_-]?str(?:ing)?$`)
	// notSecret are names that say where a secret is, how long it is or lives, or of which kind, and not what it is; and those of public keys.
	notSecret = regexp.MustCompile(`(?i)(?:name|file|path|ref|dir|directory|location|mount|header|field|prefix|label|ttl|seconds|minutes|hours|days|interval|` +
		`timeout|duration|expiry|expiration|lifetime|period|size|length|bits|count|replicas|port|provider|type|kind|mode|method|algorithm|class|` +
		`region|zone|url|uri|endpoint|host|hostname|server|domain|address|issuer|realm|scope|audience|policy|format|version|image|namespace|` +
		`mechanism|database|schema|group|role|plugin|command|enabled|disabled|encryption|rotation)s?$|` +
		`pullsecrets?$|configsecret$|config-secret$|topologykey$|` + ofPublicKeys)
	// aside are names in whose maps Kubernetes has nothing secret, wherever they are.
	aside = regexp.MustCompile(`^(?:annotations|labels|nodeSelector|affinity|tolerations|resources|image|matchLabels|selector)$`)
	// whose are names of accounts, which are no secrets beside one.
	whose = regexp.MustCompile(`(?i)(?:id|email|user|username|account|project|bucket)$`)
	// wordBounds are where words of a name in camel case meet.
	wordBounds = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)
	notInWord  = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// nameWords are the words of a name, however it joins them: apiToken, API_TOKEN, hub.api-token.
func nameWords(name string) []string {
	apart := wordBounds.ReplaceAllString(name, "$1$3 $2$4")
	return strings.Fields(strings.ToLower(notInWord.ReplaceAllString(apart, " ")))
}

// secrecyOf is what a name says of a text or of a list of them.
func secrecyOf(name string) secrecy {
	if notSecret.MatchString(name) {
		return open
	}
	return secrecyOfObject(name)
}

// secrecyOfObject is what a name says of what is in an object: `secretFiles` may be their contents.
func secrecyOfObject(name string) secrecy {
	words := nameWords(name)
	switch {
	case publicKeyName.MatchString(name):
		return open
	case slices.ContainsFunc(words, secretWord.MatchString):
		return secret
	case slices.ContainsFunc(words, likelyWord.MatchString), connection.MatchString(name):
		return likely
	}
	return open
}

// below is what is said of a value by its name in an object that is itself what above says.
func below(above secrecy, object map[string]any, name string) secrecy {
	named, _ := object["name"].(string)
	switch {
	case aside.MatchString(name), name == "key" && isRequirement(object):
		return open
	case name == "value" && named != "": // a variable, as Pods have them
		return max(above, secrecyOf(named))
	}
	if _, is := object[name].(map[string]any); is {
		return max(above, secrecyOfObject(name))
	}
	says := secrecyOf(name)
	if notSecret.MatchString(name) || says == open && whose.MatchString(name) {
		return open
	}
	return max(above, says)
}

// isRequirement reports whether an object is a toleration, a requirement of a selector or an item of a volume, whose key is a label's, a taint's or a
// file's.
func isRequirement(object map[string]any) bool {
	return slices.ContainsFunc([]string{"operator", "effect", "values", "path"}, func(name string) bool {
		_, has := object[name]
		return has
	})
}

// isReference reports whether a name is of an object that says where a secret is, as secretKeyRef and existingSecret.
func isReference(name string) bool {
	return strings.HasSuffix(name, "Ref") || strings.HasSuffix(name, "Refs") || strings.HasPrefix(name, "existing")
}
