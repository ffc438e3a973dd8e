package config

import "net/url"

// isPlain reports whether a section of the stack has no encrypted text. It returns false if that is
// not known.
func (d *decoder) isPlain(section string) bool {
	return d.secret != nil && !d.secret(Namespace+":"+section)
}

// addPlain reports an unencrypted secret, because it would be in the repository and in Pulumi's
// history of updates.
func (ps *problems) addPlain(key, value string) {
	ps.addIf(value != "" && value != Sealed, key, "", "is not encrypted",
		"run: pulumi config set --secret --path '"+key+"'")
}

// hasLogin reports whether a URL has a user or a password in it.
func hasLogin(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && parsed.User != nil
}

// webAddress parses an http or https URL that has a host and neither a query nor a fragment. ok is
// false for any other text.
func webAddress(text string) (parsed *url.URL, ok bool) {
	parsed, err := url.Parse(text)
	return parsed, err == nil && (parsed.Scheme == "https" || parsed.Scheme == "http") &&
		parsed.Hostname() != "" &&
		parsed.RawQuery == "" && parsed.Fragment == ""
}
