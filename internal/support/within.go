package support

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	// login is that of an address: user, and password if there is one.
	login = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#@:"'<>]*)(?::([^\s/?#"'<>]*))?@`)
	// loginUnescaped is one whose password has in plain what an address cannot have.
	loginUnescaped = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@:]*:(\S+)@`)
	port           = regexp.MustCompile(`^[0-9]+(?:[/?#,]|$)`)
	// loginOfDriver is that of a data source as MySQL's drivers write it, without a scheme.
	loginOfDriver = regexp.MustCompile(`(?:^|[\s="'])[^\s:/@"'=]+:(\S+)@(?:tcp|unix|udp)?\(`)
	privateKey    = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)
	// hash is a password's, as crypt, htpasswd and Argon2 write it.
	hash = regexp.MustCompile(`\$(?:apr1|2[abxy]?|[156y]|argon2[a-z]*)\$[^\s"',]+`)
	// token is one that says by its first letters whose it is, or that is a JWT.
	token = regexp.MustCompile(`\b(?:gh[pousr]_|github_pat_|glpat-|xox[abpr]-|hv[sb]\.)[A-Za-z0-9_.-]{10,}|\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]*`)
	// webhook is an address that lets whoever knows it write.
	webhook = regexp.MustCompile(`https://(?:hooks\.slack\.com|discord(?:app)?\.com|[\w.-]+\.webhook\.office\.com)/([^\s"']{16,})`)
	// header is what follows the scheme in an Authorization header.
	header = regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([A-Za-z0-9+/=._~-]{8,})`)
	// setting is a name before its value: an argument, a variable, a line of INI, TOML or YAML. flag is one whose value is the next word.
	setting = regexp.MustCompile(`([A-Za-z][\w.-]*)["']?(?:[ \t]*=[ \t]*|[ \t]*:[ \t]+|:["'])`)
	flag    = regexp.MustCompile(`(?:^|\s)--?([A-Za-z][\w.-]*)[ \t]+`)
)

// longUser is from how many characters on the user of an address without a password is taken for a token.
const longUser = 16

// plainSecrets are what a text shows to be secret whatever it is called: logins in addresses, private keys, hashes of
// passwords and some tokens.
func plainSecrets(text string) []string {
	var found []string
	for _, one := range login.FindAllStringSubmatch(text, -1) {
		if found = append(found, one[2]); one[2] == "" && len(one[1]) >= longUser {
			found = append(found, one[1])
		}
	}
	if len(found) == 0 {
		for _, one := range loginUnescaped.FindAllStringSubmatch(text, -1) {
			if !port.MatchString(one[1]) {
				found = append(found, one[1])
			}
		}
	}
	for _, one := range loginOfDriver.FindAllStringSubmatch(text, -1) {
		found = append(found, one[1])
	}
	for _, one := range webhook.FindAllStringSubmatch(text, -1) {
		found = append(found, one[1])
	}
	for _, pattern := range []*regexp.Regexp{privateKey, hash, token} {
		found = append(found, pattern.FindAllString(text, -1)...)
	}
	return present(found)
}

// settings are the values in a text whose names are those of secrets, and what a header of HTTP authenticates with.
func settings(text string) []string {
	var found []string
	for _, one := range header.FindAllStringSubmatch(text, -1) {
		if !smallLetters.MatchString(one[1]) {
			found = append(found, one[1])
		}
	}
	for _, pattern := range []*regexp.Regexp{setting, flag} {
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			if secrecyOf(text[at[2]:at[3]]) == secret {
				found = append(found, valuesAt(text[at[1]:], strings.ContainsAny(text[at[3]:at[1]], " \t"))...)
			}
		}
	}
	return present(found)
}

// valuesAt are what a value may be that begins a text: what is quoted, or else up to a blank, also less what a separator keeps apart; where the
// name has a blank after it, the line as well.
func valuesAt(text string, spaced bool) []string {
	line, _, _ := strings.Cut(text, "\n")
	if quote := strings.TrimLeft(line, `"'`); quote != line {
		inner, _, _ := strings.Cut(quote, line[:1])
		return []string{inner}
	}
	word := line
	if end := strings.IndexAny(line, " \t\r"); end >= 0 {
		word = line[:end]
	}
	if saysNothing.MatchString(word) || strings.HasPrefix(word, "-") {
		return nil
	}
	values := []string{word, strings.TrimRight(word, `"',;)}]`)}
	if end := strings.IndexAny(word, ";&,"); end > 0 {
		values = append(values, word[:end])
	}
	if spaced {
		values = append(values, strings.TrimSpace(line))
	}
	return values
}

// lines are those of a text, and what has a user's name before it, where they have so many characters.
func lines(text string, least int) []string {
	var found []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		_, password, _ := strings.Cut(line, ":")
		for _, one := range []string{line, password} {
			if len(one) >= least && one != text && tellsApart(one) && !strings.Contains(one, "//") {
				found = append(found, one)
			}
		}
	}
	return found
}

// present are the values that say something.
func present(values []string) []string {
	return slices.DeleteFunc(values, func(value string) bool { return value == "" || saysNothing.MatchString(value) })
}

// without is a text without some of its parts, the longest first. A short one goes only where it stands alone.
func without(text string, found []string) string {
	found = slices.Clone(found)
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	for _, one := range found {
		if len(one) >= likelyLength {
			text = strings.ReplaceAll(text, one, redacted)
			continue
		}
		alone := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(one) + `($|\W)`)
		for range 2 { // two in a row share what is between them
			text = alone.ReplaceAllString(text, "${1}"+redacted+"${2}")
		}
	}
	return text
}

// unescaped is also what an address's part stands for.
func unescaped(part string) []string {
	if plain, err := url.PathUnescape(part); err == nil && plain != part {
		return []string{part, plain}
	}
	return []string{part}
}
