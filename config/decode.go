package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// leaves maps the types that are read from one JSON string to the string's form, for messages.
var leaves = map[reflect.Type]string{
	reflect.TypeFor[netip.Addr]():      "an IP address, for example 10.10.0.11",
	reflect.TypeFor[netip.Prefix]():    "a network in CIDR form, for example 10.10.0.0/24",
	reflect.TypeFor[metav1.Duration](): "a duration, for example 5m",
	reflect.TypeFor[Switch]():          "on or off",
}

// decoder fills the typed tree from JSON values. Unlike encoding/json, it collects every mistake
// with its key path, and requires the exact key names. It suggests a name for an unknown key, and
// treats null as not set.
type decoder struct {
	problems problems
	// unread are the paths of keys that got no value, because their text has a mistake or is
	// Sealed.
	unread []string
	// sealed is true if encrypted texts are accepted, which become Sealed. Only stack files have
	// such texts: Pulumi passes decrypted texts to a program.
	sealed bool
	// secret reports whether a section has a text that Pulumi stores encrypted. Nil if unknown.
	secret func(key string) bool
	// program is true for a user's own program, whose cluster need not be configured. adjust, if
	// not nil, changes the configuration after decoding (ForProgram).
	program bool
	adjust  func(*Config)
}

// fail adds a problem about a key, and marks the key as unread.
func (d *decoder) fail(key, value, rule, fix string) {
	d.problems.add(key, value, rule, fix)
	d.unread = append(d.unread, key)
}

// unknown adds a problem about an unknown name below a key. If the most similar known name is not
// set, it marks that name as unread, which suppresses problems that follow from the typo.
func (d *decoder) unknown(prefix, name, what string, known []string, given func(string) bool) {
	d.problems.add(prefix+name, "", "is not a known "+what, suggestion(name, known))
	if meant := nearest(name, known); meant != "" && !given(meant) {
		d.unread = append(d.unread, prefix+meant)
	}
}

// blames reports whether a problem with a key may only be a consequence of an unread key: the key
// itself, a parent or a child.
func (d *decoder) blames(key string) bool {
	return slices.ContainsFunc(d.unread,
		func(unread string) bool { return isWithin(key, unread) || isWithin(unread, key) })
}

func (d *decoder) decode(key string, value any, into reflect.Value) {
	kind := into.Kind()
	switch _, leaf := leaves[into.Type()]; {
	case value == nil:
	case d.sealed && value == any(Sealed):
		d.seal(key, into)
	case into.Type() == valuesType:
		d.values(key, value, into)
	case leaf:
		d.leaf(key, value, into)
	case kind == reflect.Pointer:
		target := reflect.New(into.Type().Elem())
		d.decode(key, value, target.Elem())
		into.Set(target)
	case kind == reflect.Struct:
		d.object(key, value, into)
	case kind == reflect.Slice:
		d.list(key, value, into)
	case kind == reflect.Map:
		d.mapping(key, value, into)
	case kind == reflect.Interface:
		into.Set(reflect.ValueOf(plain(value)))
	default:
		d.leaf(key, value, into)
	}
}

func (d *decoder) leaf(key string, value any, into reflect.Value) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, into.Addr().Interface())
	}
	switch rule := "is not " + describeType(into.Type()); {
	case err == nil:
	case into.Kind() != reflect.String:
		d.fail(key, show(value), rule, "")
	default: // may be a password in digits
		d.fail(key, "", rule, quotes(value))
	}
}

// quotes returns the fix for a text that YAML reads as another type.
func quotes(value any) string {
	switch value.(type) {
	case json.Number, bool:
		return "write it in quotes"
	}
	return ""
}

func (d *decoder) object(key string, value any, into reflect.Value) {
	object, ok := value.(map[string]any)
	if !ok {
		d.fail(key, show(value), "is not an object", "write its keys below it, indented")
		return
	}
	fields := fieldsOf(into.Type())
	for _, name := range slices.Sorted(maps.Keys(object)) {
		index, known := fields[name]
		if !known {
			given := func(other string) bool { _, there := object[other]; return there }
			d.unknown(key+".", name, "key", slices.Collect(maps.Keys(fields)), given)
			continue
		}
		if d.sealed && needsPlain(into.Type().Field(index)) && hasSealed(object[name]) {
			d.fail(key+"."+name, "", "is encrypted, and only Pulumi can read that",
				"write it unencrypted, because commands of strata need it")
			continue
		}
		d.decode(key+"."+name, object[name], into.Field(index))
	}
}

func (d *decoder) list(key string, value any, into reflect.Value) {
	list, ok := value.([]any)
	if !ok {
		d.fail(key, show(value), "is not a list",
			"write each entry on a line of its own, after a dash")
		return
	}
	// A new slice is needed, because the user's value replaces the default.
	slice := reflect.MakeSlice(into.Type(), len(list), len(list))
	for i, element := range list {
		d.decode(fmt.Sprintf("%s[%d]", key, i), element, slice.Index(i))
	}
	into.Set(slice)
}

func (d *decoder) mapping(key string, value any, into reflect.Value) {
	object, ok := value.(map[string]any)
	if !ok {
		d.fail(key, show(value), "is not an object", "write its keys below it, indented")
		return
	}
	result := reflect.MakeMap(into.Type())
	for _, name := range slices.Sorted(maps.Keys(object)) {
		element := reflect.New(into.Type().Elem()).Elem()
		d.decode(fmt.Sprintf("%s[%q]", key, name), object[name], element)
		result.SetMapIndex(reflect.ValueOf(name), element)
	}
	into.Set(result)
}

// fieldsOf maps the JSON names of a struct's fields to their index.
func fieldsOf(t reflect.Type) map[string]int {
	fields := map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields[name] = i
		}
	}
	return fields
}

func describeType(t reflect.Type) string {
	if text, ok := leaves[t]; ok {
		return text
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	default:
		return "a text"
	}
}

// show returns a value as text for messages; long values are truncated. It returns "" for objects
// and lists, which may contain a password.
func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil || text[0] == '{' || text[0] == '[' {
		return ""
	}
	const longest = 80
	if len(text) > longest {
		return strings.ToValidUTF8(string(text[:longest]), "") + "…"
	}
	return string(text)
}

// plain turns the decoder's json.Number into int64 or float64, so that integers stay integers when
// they are written out again.
func plain(value any) any {
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		if fraction, err := v.Float64(); err == nil {
			return fraction
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plain(v[name])
		}
	}
	return value
}
