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

// secretKeys are the configuration's keys whose texts are secret even without encryption, such as
// those of proxies and of ACME accounts. Other values under the same names are hidden, too.
var secretKeys = []string{
	"adminPasswordHash", "http", "https", "key", "mirror", "passphrase", "password", "secretEnv",
	"secretFiles", "sudoPassword", "token", "value",
}

func isSecretKey(key string) bool { return slices.Contains(secretKeys, key) }

// stackFile holds the configuration that was read from a stack file.
type stackFile struct {
	// content is its configuration by full key. It is nil if the file could not be read; err then
	// has the reason.
	content map[string]any
	err     error
}

func readStackFile(project, path string) stackFile {
	content, err := config.ReadStackFile(project, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Do not wrap the parser's error: it may quote a secret.
		err = fmt.Errorf("%s is no stack file", path)
	}
	return stackFile{content, err}
}

// withoutSecrets returns the file without encrypted values, their encryption settings, and the
// values of secret keys. The result has no comments.
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

// encryptedTexts calls add for each encrypted value of a file. shown is the same configuration,
// decrypted by Pulumi. In another program's configuration, it also adds the secrets within a value,
// because users may encrypt an argument together with its name. unknown is the number of values
// that shown lacks.
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

// addBelow returns add for the values below a key. For another program's configuration, the
// returned function also adds the secrets within a value.
func addBelow(key string, add func(string)) func(string) {
	if !isForeign(key) {
		return add
	}
	return func(text string) {
		add(text)
		addSecretsIn(text, add)
	}
}

// secrets returns the secrets of the file. It runs Pulumi only if a value is encrypted.
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
		// Do not wrap the parser's error: it may quote a secret.
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
