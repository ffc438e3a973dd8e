package support

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"sigs.k8s.io/yaml"

	"strata/config"
	"strata/internal/pulumi/stackstate"
)

// secretKeys are the configuration's keys whose texts are secret even in plain, such as those of
// proxies, of an ACME server's account and of its solver. Other values under the same names are
// hidden, too.
var secretKeys = []string{
	"adminPasswordHash", "http", "https", "key", "mirror", "passphrase", "password", "secretEnv",
	"secretFiles", "sudoPassword", "token", "value",
}

func isSecretKey(key string) bool { return slices.Contains(secretKeys, key) }

// stackFile is a stack's file as it was read.
type stackFile struct {
	// content is its configuration by full key; nil if it could not be read, with the reason in
	// err.
	content map[string]any
	err     error
}

func readStackFile(project, path string) stackFile {
	content, err := config.ReadStackFile(project, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s is no stack file", path) // the parser's error may quote it
	}
	return stackFile{content, err}
}

// withoutSecrets returns the file without encrypted values, their encryption settings, and the
// values of secret keys. Comments are lost.
func (f stackFile) withoutSecrets(context.Context) ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	return yaml.Marshal(map[string]any{"config": stripSecrets(f.content)})
}

func stripSecrets(value any) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = stripSecrets(value[i])
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for key, inner := range value {
			switch {
			case isForeign(key):
				object[key] = foreign(inner, namesSecret(key), func(string) {})
			case isSecretKey(key):
				object[key] = redacted
			default:
				object[key] = stripSecrets(inner)
			}
		}
		return object
	}
	return value
}

// encryptedTexts adds the encrypted values of a file, from Pulumi's plain text of the same file.
// For another program's configuration it also adds the secrets within them, because users encrypt
// an argument together with its name. unknown counts the values that Pulumi does not show.
func encryptedTexts(file, shown any, add func(string)) (unknown int) {
	switch file := file.(type) {
	case string:
		if file != config.Sealed {
			return 0
		}
		texts(shown, add)
		if shown == nil {
			return 1
		}
	case []any:
		list, _ := shown.([]any)
		for i, inner := range file {
			var value any
			if i < len(list) {
				value = list[i]
			}
			unknown += encryptedTexts(inner, value, add)
		}
	case map[string]any:
		object, _ := shown.(map[string]any)
		for key, inner := range file {
			unknown += encryptedTexts(inner, object[key], addBelow(key, add))
		}
	}
	return unknown
}

// addBelow adds the texts below a key of the configuration.
func addBelow(key string, add func(string)) func(string) {
	if !isForeign(key) {
		return add
	}
	return func(text string) {
		add(text)
		addSecretsIn(text, add)
	}
}

// secrets returns the texts of the file that must not be shown. It runs Pulumi only if a value is
// encrypted.
func (f stackFile) secrets(
	ctx context.Context, pulumi stackstate.Pulumi, arguments ...string,
) ([]string, error) {
	if errors.Is(f.err, fs.ErrNotExist) {
		return nil, nil
	} else if f.err != nil {
		return nil, f.err
	}
	var found []string
	add := func(text string) {
		if text != config.Sealed {
			found = append(found, text)
		}
	}
	plainSecrets(f.content, add)
	if encryptedTexts(f.content, nil, func(string) {}) == 0 {
		return found, nil
	}
	out, err := pulumi(ctx, nil, append([]string{"config", "--show-secrets", "--json"},
		arguments...)...)
	if err != nil {
		return nil, err
	}
	shown, err := shownConfig(out)
	if err != nil {
		return nil, err
	}
	unknown := 0
	for key, section := range f.content {
		unknown += encryptedTexts(section, shown[key], addBelow(key, add))
	}
	if unknown > 0 {
		return nil, fmt.Errorf(
			"pulumi config shows %d encrypted values of the stack file not, or not at the same place", unknown)
	}
	return found, nil
}

// shownConfig parses a configuration from the output of `pulumi config --json`.
func shownConfig(out []byte) (map[string]any, error) {
	var printed map[string]struct {
		Value       string `json:"value"`
		ObjectValue any    `json:"objectValue"`
	}
	if err := json.Unmarshal(out, &printed); err != nil {
		// The parser's error may quote the output.
		return nil, errors.New("pulumi config: its output is not JSON")
	}
	shown := map[string]any{}
	for key, one := range printed {
		if shown[key] = one.ObjectValue; one.ObjectValue == nil {
			shown[key] = one.Value
		}
	}
	return shown, nil
}
