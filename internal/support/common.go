package support

import (
	"regexp"
	"strings"
)

const (
	// shortWord is to how many characters on a word in small letters is not looked for elsewhere, and shortNumber is it for digits.
	shortWord, shortNumber = 5, 5
	// likelyLength is from how many characters on a text is taken for a secret whose name only makes it likely, and likelyWordLength is it for
	// a word in small letters.
	likelyLength, likelyWordLength = 8, 12
)

var (
	smallLetters = regexp.MustCompile(`^[a-z]+$`)
	digits       = regexp.MustCompile(`^[0-9]+$`)
	// saysNothing are texts that are no secret under any name: switches, durations, what is filled in elsewhere, and files.
	saysNothing = regexp.MustCompile(`^(?:(?i:true|false|yes|no|on|off|null|none|auto|~)|[0-9]+(?:ms|s|m|h|d)|\$\{[A-Za-z_][^}]*\}|\$\([A-Za-z_][^)]*\)|\{\{.*\}\}|[|>][+-]?|` +
		`(?:~|\.{1,2}|/(?:etc|var|run|opt|usr|home|root|tmp|mnt|srv|tls|certs?|secrets?|vault))/[^\s=+]*)$`)
	// commonWords are found in every archive. A secret that is one of them, or made of them alone, is hidden where it stands and nowhere else.
	commonWords = wordSet(`access admin administrator api app application argocd apisix auth authentication authorization aws basic bearer ca cert
		certificate change changeme changeit client cloud cluster config controller credential credentials crt data database db default demo dev
		disabled dns email enabled env file github google grafana guest helm host http https id identity ingress internal issuer jwt k3s
		key keycloak keys kube kubernetes ldap letsencrypt local login manager master me metallb metrics name namespace node none oauth oauth2
		oidc only optional pass passthrough password pem postgres private prod production prometheus proxy public read redis required
		root secret secrets server service serviceaccount session solver staging strata system test text tls token tokens traefik url user
		username value vault wave web webhook anonymous approle aescbc secretbox`)
)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// tellsApart reports whether a text is so much its own that it can be looked for all over the archive: the archive has to stay of use.
func tellsApart(text string) bool {
	switch {
	case len(text) < shortest, saysNothing.MatchString(text):
		return false
	case digits.MatchString(text):
		return len(text) > shortNumber
	case smallLetters.MatchString(text) && len(text) <= shortWord:
		return false
	}
	for _, word := range nameWords(text) {
		if !commonWords[word] {
			return true
		}
	}
	return strings.ContainsAny(text, "!#$%&*+?^~") && len(text) >= likelyLength
}

// likelySecret reports whether a text is one under a name that makes it likely.
func likelySecret(text string) bool {
	if len(text) < likelyLength || !tellsApart(text) || strings.Contains(text, "://") || strings.HasPrefix(text, "/") {
		return false
	}
	return !smallLetters.MatchString(text) || len(text) >= likelyWordLength
}
