package support

import (
	"encoding/json"
	"slices"
	"strings"

	"strata/config"
)

// read is the configuration without its secrets. add gets those that are not encrypted.
func (f stackFile) read(add func(string)) any {
	top, _ := f.content.(map[string]any)
	r := reading{add: add, took: func(string) {}}
	sections, is := top["config"].(map[string]any)
	if !is {
		return top["config"]
	}
	shown := map[string]any{}
	for name, section := range sections {
		namespace, key, is := strings.Cut(name, ":")
		if is && namespace != config.Namespace { // a provider's
			shown[name] = r.foreign(section, secrecyOf(key))
			continue
		}
		shown[name] = r.own(section)
	}
	return shown
}

// own is a value of Strata's configuration without its secrets, which are known by their keys and by what texts show.
func (r reading) own(value any) any {
	switch value := value.(type) {
	case string:
		found := plainSecrets(value)
		for _, one := range found {
			r.hide(unescaped(one)...)
		}
		return without(value, found)
	case []any:
		list := make([]any, len(value))
		for i, inner := range value {
			list[i] = r.own(inner)
		}
		return list
	case map[string]any:
		if config.Encrypted(value) {
			return config.Sealed
		}
		object := map[string]any{}
		for key, inner := range value {
			_, isSecretsKey := value["value"] // the key of a Secret, beside its value
			switch {
			case slices.Contains(foreignKeys, key):
				object[key] = r.foreign(inner, open)
			case isSecretKey(key) && (key != "key" || !isSecretsKey):
				scalars(inner, r.add)
				object[key] = redacted
			default:
				object[key] = r.own(inner)
			}
		}
		return object
	}
	return value
}

// scalars are the texts and numbers in a value, less what is encrypted, with what is secret within them.
func scalars(value any, add func(string)) {
	switch value := value.(type) {
	case string:
		add(value)
		for _, one := range slices.Concat(plainSecrets(value), settings(value), lines(value, likelyLength)) {
			if tellsApart(one) {
				add(one)
			}
		}
	case json.Number, float64:
		add(numberForms(value)[0])
	case []any:
		for _, inner := range value {
			scalars(inner, add)
		}
	case map[string]any:
		if config.Encrypted(value) {
			return
		}
		for _, inner := range value {
			scalars(inner, add)
		}
	}
}
