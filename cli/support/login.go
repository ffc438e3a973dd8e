package support

import (
	"net/url"
	"regexp"
	"strings"
)

// address matches a URL with a login before its host: a user, and optionally a password. url.Parse
// would not do. It refuses a password with a percent sign that database clients accept, and finds
// no URL within a longer text.
var address = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#:@]*)(?::([^\s/?#]*))?@[^\s"'<>]*`)

// logins adds the secrets of the addresses in a text. It adds the password, which servers log
// alone, and user:password, which basic authentication encodes: as written, without escapes and
// with Go's escapes. It also adds the address without a trailing slash, which clients add or drop.
// A user without a password is only a name, unless it is as long as a word that counts as a secret
// on its own.
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

// escape escapes a user or a password like url.URL, which differs from people's notation and from
// url.QueryEscape.
func escape(text string) string { return url.User(unescape(text)).String() }
