package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// DefaultFile is the default path of K3s's configuration file.
const DefaultFile = "/etc/rancher/k3s/config.yaml"

// readFile returns the contents of config.yaml and its drop-ins as "--key=value" arguments. They
// are in the order in which the keys first occur. As in K3s, a missing file is no error.
func readFile(path string) ([]string, error) {
	files, err := configFiles(path)
	if err != nil {
		return nil, err
	}
	merged := merger{values: map[string]any{}}
	for _, file := range files {
		if err := merged.add(file); err != nil {
			return nil, err
		}
	}
	return merged.args(), nil
}

func configFiles(path string) ([]string, error) {
	var files []string
	if _, err := os.Stat(path); err == nil {
		files = append(files, path)
	} else if !os.IsNotExist(err) {
		return nil, err
	}
	entries, err := os.ReadDir(path + ".d")
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, entry := range entries { // ReadDir sorts by name
		name := strings.ToLower(entry.Name())
		if !entry.IsDir() && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")) {
			files = append(files, filepath.Join(path+".d", entry.Name()))
		}
	}
	return files, nil
}

// merger merges configuration files like K3s: a later file replaces a key's value, or appends to it
// if the key ends in "+".
type merger struct {
	order  []string
	values map[string]any
}

func (m *merger) add(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("parse %s: %w", file, err)
	}
	if len(doc.Content) == 0 {
		return nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("parse %s: expected a map of flags, found %s", file, root.Tag)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		var value any
		if err := root.Content[i+1].Decode(&value); err != nil {
			return fmt.Errorf("parse %s: %w", file, err)
		}
		m.set(root.Content[i].Value, value)
	}
	return nil
}

func (m *merger) set(key string, value any) {
	appends := strings.HasSuffix(key, "+")
	key = strings.TrimSuffix(key, "+")
	old, seen := m.values[key]
	if !seen {
		m.order = append(m.order, key)
	}
	if seen && appends {
		value = append(toSlice(old), toSlice(value)...)
	}
	m.values[key] = value
}

func (m *merger) args() []string {
	var args []string
	for _, key := range m.order {
		dashes := "--"
		if len(key) == 1 {
			dashes = "-"
		}
		values, isList := m.values[key].([]any)
		if !isList {
			values = []any{m.values[key]}
		}
		for _, v := range values {
			args = append(args, dashes+key+"="+toText(v))
		}
	}
	return args
}

func toSlice(v any) []any {
	if s, ok := v.([]any); ok {
		return s
	}
	if toText(v) == "" {
		return nil
	}
	return []any{v}
}

func toText(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
