package config

import (
	"fmt"
	"net/url"
	"reflect"
)

// isPlain reports whether a section of the stack has no encrypted text; false if that is unknown.
func (d *decoder) isPlain(section string) bool {
	return d.secret != nil && !d.secret(Namespace+":"+section)
}

// plainSecrets reports unencrypted texts of fields with the tag secret, because they would be in
// the repository and in Pulumi's history of updates. It reads the tree and not the JSON text, so it
// also reports texts that a program sets (ForProgram).
func (d *decoder) plainSecrets(tree reflect.Value) (ps problems) {
	for section, index := range fieldsOf(tree.Type()) {
		if d.isPlain(section) {
			ps.addPlain(field("%s", section), tree.Field(index), false)
		}
	}
	return ps
}

// addPlain adds a problem for each text below a key that is set in a secret field.
func (ps *problems) addPlain(key string, value reflect.Value, secret bool) {
	switch value = reflect.Indirect(value); value.Kind() {
	case reflect.String:
		ps.addIf(secret && value.String() != "" && value.String() != Sealed, key, "",
			"is not encrypted", "run: pulumi config set --secret --path '"+key+"'")
	case reflect.Slice:
		for i := range value.Len() {
			ps.addPlain(fmt.Sprintf("%s[%d]", key, i), value.Index(i), secret)
		}
	case reflect.Struct:
		for name, index := range fieldsOf(value.Type()) {
			_, tagged := value.Type().Field(index).Tag.Lookup("secret")
			ps.addPlain(key+"."+name, value.Field(index), tagged)
		}
	default: // has no text with a tag
	}
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
