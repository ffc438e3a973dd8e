package support

import (
	"net/url"
	"regexp"
	"strings"
)

// address matches a URL that contains a login: a user, and optionally a password. url.Parse does
// not suffice: it refuses a password with a percent sign, which database clients accept, and finds
// no URL within a longer text.
var address = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#:@]*)(?::([^\s/?#]*))?@[^\s"'<>]*`)

// logins calls add for the secrets of each URL with a login in text. These are the password,
// user:password as in basic authentication, and the URL without trailing slashes, commas and
// semicolons. The password and the user are added as written, unescaped, and escaped by Go. Without
// a password, the user counts as a secret if it has at least wordLength bytes.
func logins(text string, wordLength int, add func(string)) {
	for _, found := range address.FindAllStringSubmatch(text, -1) {
		whole, user, password := found[0], found[1], found[2]
		switch {
		case len(password) >= shortest:
			for _, form := range []func(string) string{asWritten, unescape, escape} {
				add(form(password))
				add(form(user) + ":" + form(password))
			}
		case password == "" && len(user) >= wordLength:
			add(user)
			add(unescape(user))
		default:
			continue
		}
		add(strings.TrimRight(whole, "/,;"))
	}
}

func asWritten(text string) string { return text }

func unescape(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// escape escapes a user or a password as url.URL does. The result may differ from the original text
// and from the result of url.QueryEscape.
func escape(text string) string { return url.User(unescape(text)).String() }
