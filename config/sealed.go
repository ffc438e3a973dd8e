package config

import "reflect"

// Sealed replaces a text that is encrypted in its stack file. It means that the text is set but
// only Pulumi knows it. Pulumi's own loader puts it there (sdk/go/common/resource/config/crypt.go,
// blindingCrypter).
const Sealed = "[secret]"

// needsPlain reports whether strata's commands must read the texts of a field. The program branches
// on texts of a type or enumeration with known texts. Texts with the tag plain name a file, an
// object or an address.
func needsPlain(field reflect.StructField) bool {
	of := field.Type
	if of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	_, enum := field.Tag.Lookup("enum")
	_, plain := field.Tag.Lookup("plain")
	return enum || plain || of.Kind() == reflect.String && of.PkgPath() != ""
}

// seal sets an encrypted value to Sealed. Its key counts as unread, so that no rule complains about
// it.
func (d *decoder) seal(key string, into reflect.Value) {
	switch into.Kind() {
	case reflect.String:
		into.SetString(Sealed)
	case reflect.Interface:
		into.Set(reflect.ValueOf(Sealed))
	default:
		d.fail(key, "", "is encrypted as a whole, and only Pulumi can read that",
			"encrypt the texts in it: pulumi config set --secret --path")
		return
	}
	d.unread = append(d.unread, key)
}
