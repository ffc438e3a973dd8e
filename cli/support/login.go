package support

import (
	"net/url"
	"regexp"
	"strings"
)

// address is one with a login before its host: a user, and a password where there is one. It is no
// url.Parse, which refuses a password with a percent sign that clients of databases take, and finds
// none within a longer text.
var address = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#:@]*)(?::([^\s/?#]*))?@[^\s"'<>]*`)

// logins adds the secrets of the addresses in a text: the password, which the other end logs alone,
// and user:password, which basic authentication encodes, as written, without escapes and as Go
// escapes them; and the address without the slash that clients add or drop. A user without a
// password is a name, unless it has the length of a word that is a secret on its own.
func logins(text string, wordLength int, add func(string)) {
	for _, found := range address.FindAllStringSubmatch(text, -1) {
		whole, user, password := found[0], found[1], found[2]
		switch {
		case len(password) >= shortest:
			for _, form := range []func(string) string{asWritten, unescaped, escaped} {
				add(form(password))
				add(form(user) + ":" + form(password))
			}
		case password == "" && len(user) >= wordLength:
			add(user)
			add(unescaped(user))
		default:
			continue
		}
		add(strings.TrimRight(whole, "/,;"))
	}
}

func asWritten(text string) string { return text }

func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// escaped is a user or a password as url.URL writes it, which is neither what a person writes nor
// url.QueryEscape.
func escaped(text string) string { return url.User(unescaped(text)).String() }
