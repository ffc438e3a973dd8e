package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// FromFile makes the configuration of the stack whose file path is, Pulumi.<stack>.yaml, without
// Pulumi. Texts that are encrypted become Sealed, and no rule is asked about them; anything else
// that is encrypted is a mistake.
func FromFile(path string) (*Config, error) {
	name := filepath.Base(path)
	stack, isStack := strings.CutPrefix(strings.TrimSuffix(name, filepath.Ext(name)), "Pulumi.")
	if !isStack || stack == "" {
		return nil, fmt.Errorf("%s: expected a stack file named Pulumi.<stack>.yaml", path)
	}
	return OfStack(stack, path)
}

// OfStack is FromFile for a file of any name.
func OfStack(stack, path string) (*Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("stack %s: %w", stack, err)
	}
	return OfText(stack, path, text)
}

// OfText is OfStack for the text of a file; path names it in errors.
func OfText(stack, path string, text []byte) (*Config, error) {
	raw, err := fileSections(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	cfg, err := load(stack, raw, os.Getenv, decoder{
		sealed: true,
		secret: func(string) bool { return false }, // what is encrypted is Sealed here
	})
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", path, err)
	}
	return cfg, nil
}

// fileSections picks Strata's sections out of a stack file and writes each as JSON, the way Pulumi
// hands them over.
func fileSections(text []byte) (map[string]string, error) {
	var file struct {
		Config map[string]json.RawMessage `json:"config"`
	}
	// Strict refuses a key that is written twice, of which one would be lost.
	asJSON, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(asJSON, &file); err != nil {
		return nil, err
	}
	sections := map[string]string{}
	for key, value := range file.Config {
		namespace, section, qualified := strings.Cut(key, ":")
		if !qualified {
			// Pulumi puts a key without a namespace into the project's.
			namespace, section = Namespace, key
		}
		if namespace == Namespace {
			sections[section] = string(value)
		}
	}
	return sections, nil
}
