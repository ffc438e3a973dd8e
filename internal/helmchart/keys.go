// Package helmchart reads from a chart's file what its values may be called. It renders nothing:
// Helm does.
package helmchart

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// fileLimit bounds what is read of one file of a chart; those of the charts that Strata installs
// have a tenth.
const fileLimit = 4 << 20

// Keys are the names at the top of a chart's values, sorted: those of its values.yaml and of its
// schema, its subcharts', and global, which every chart has. file is the chart as Helm packs it, a
// gzipped tar.
func Keys(file string) ([]string, error) {
	packed, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }() // it was only read
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", file, err)
	}
	names := map[string]bool{"global": true}
	entries := tar.NewReader(unpacked)
	for {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return slices.Sorted(maps.Keys(names)), nil
		}
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", file, err)
		}
		if err := add(names, entry.Name, io.LimitReader(entries, fileLimit)); err != nil {
			return nil, fmt.Errorf("chart %s: %s: %w", file, entry.Name, err)
		}
	}
}

// add takes the names that one file of the chart tells; its path begins with the chart's name.
func add(names map[string]bool, path string, content io.Reader) error {
	_, inside, _ := strings.Cut(path, "/")
	switch {
	case strings.HasPrefix(inside, "charts/"):
		subchart, _, _ := strings.Cut(strings.TrimPrefix(inside, "charts/"), "/")
		names[subchart] = true
		return nil
	case inside == "Chart.yaml":
		return addFrom(content, func(text []byte) error {
			var chart struct {
				Dependencies []struct{ Name, Alias string } `json:"dependencies"`
			}
			err := yaml.Unmarshal(text, &chart)
			for _, one := range chart.Dependencies {
				names[one.Name], names[one.Alias] = true, true
			}
			delete(names, "")
			return err
		})
	case inside == "values.yaml":
		return addFrom(content, func(text []byte) error {
			var values map[string]any
			err := yaml.Unmarshal(text, &values)
			addKeys(names, values)
			return err
		})
	case inside == "values.schema.json":
		return addFrom(content, func(text []byte) error {
			var schema map[string]any
			err := json.Unmarshal(text, &schema)
			addKeys(names, properties(schema))
			return err
		})
	}
	return nil
}

func addFrom(content io.Reader, take func([]byte) error) error {
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return take(text)
}

func addKeys(names map[string]bool, object map[string]any) {
	for name := range object {
		names[name] = true
	}
}

// properties are those of a schema, which may be written elsewhere in the file: cert-manager's are.
func properties(schema map[string]any) map[string]any {
	at := schema
	if reference, is := schema["$ref"].(string); is {
		for step := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
			at, _ = at[step].(map[string]any)
		}
	}
	found, _ := at["properties"].(map[string]any)
	return found
}
