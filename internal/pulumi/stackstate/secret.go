package stackstate

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
)

// reveal replaces every secret of a resource by its value.
func (r Resource) reveal() error {
	for _, properties := range []map[string]any{r.Inputs, r.Outputs} {
		if _, err := reveal(properties); err != nil {
			return err
		}
	}
	return nil
}

// reveal replaces every secret in a value by the secret's value, in place unless the value itself
// is a secret.
func reveal(value any) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		if value[sig.Key] == sig.Secret {
			return plain(value)
		}
		for key := range value {
			inner, err := reveal(value[key])
			if err != nil {
				return nil, err
			}
			value[key] = inner
		}
	case []any:
		for i := range value {
			inner, err := reveal(value[i])
			if err != nil {
				return nil, err
			}
			value[i] = inner
		}
	}
	return value, nil
}

// plain returns a secret's value, in which nested secrets are replaced by their values.
func plain(secret map[string]any) (any, error) {
	inner, err := plainOf(secret)
	if err != nil {
		return nil, err
	}
	return reveal(inner)
}

// plainOf decodes a secret's value: JSON inside a JSON string.
func plainOf(secret map[string]any) (any, error) {
	text, shown := secret["plaintext"].(string)
	if !shown {
		return nil, errors.New("a secret is still encrypted; expected the output of --show-secrets")
	}
	var inner any
	if err := json.Unmarshal([]byte(text), &inner); err != nil {
		return nil, errors.New("a secret is not JSON") // the parser's error would quote it
	}
	return inner, nil
}

// Texts returns the texts of a state that was exported with its secrets: those in its secrets, and
// all others. It does not return the names of properties.
func Texts(export []byte) (secret, plain []string, err error) {
	var tree any
	if err := json.Unmarshal(export, &tree); err != nil {
		return nil, nil, errors.New("the exported state is not JSON") // the parser's error would quote it
	}
	var found texts
	err = found.add(tree, &found.plain)
	return found.secret, found.plain, err
}

type texts struct{ secret, plain []string }

// add records the texts of a value; those outside its secrets go into the given list.
func (t *texts) add(value any, into *[]string) error {
	var inner []any
	switch value := value.(type) {
	case string:
		*into = append(*into, value)
	case []any:
		inner = value
	case map[string]any:
		if value[sig.Key] == sig.Secret {
			held, err := plainOf(value)
			if err != nil {
				return err
			}
			return t.add(held, &t.secret)
		}
		inner = slices.Collect(maps.Values(value))
	}
	for _, one := range inner {
		if err := t.add(one, into); err != nil {
			return err
		}
	}
	return nil
}
