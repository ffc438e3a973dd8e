package stackstate

import (
	"encoding/json"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
)

// reveal replaces every secret of a resource by what it holds.
func (r Resource) reveal() error {
	for _, properties := range []map[string]any{r.Inputs, r.Outputs} {
		if _, err := reveal(properties); err != nil {
			return err
		}
	}
	return nil
}

// reveal replaces every secret in a value by what it holds, in place where the value itself is none.
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

// plain is what a secret holds: JSON inside a JSON string.
func plain(secret map[string]any) (any, error) {
	text, shown := secret["plaintext"].(string)
	if !shown {
		return nil, errors.New("a secret is still encrypted; expected the output of --show-secrets")
	}
	var inner any
	if err := json.Unmarshal([]byte(text), &inner); err != nil {
		return nil, errors.New("a secret is not JSON") // the parser's error would quote it
	}
	return reveal(inner)
}
