// Package helmchart reads the values that a Helm chart accepts from the chart's file. It does not
// render the chart.
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

// fileLimit limits the size of one file in a chart, in bytes. The files of Strata's charts have at
// most a tenth of this size.
const fileLimit = 4 << 20

// Chart holds the names, defaults and schema of a chart's values.
type Chart struct {
	names map[string]bool
	// defaults is the content of values.yaml. schema is the text of values.schema.json; nil if
	// there is none.
	defaults map[string]any
	schema   []byte
}

// Keys returns the top-level keys of a chart's values, sorted: those in values.yaml and the schema,
// the names of subcharts, and global, which every chart has.
func (c *Chart) Keys() []string { return slices.Sorted(maps.Keys(c.names)) }

// Defaults returns the content of values.yaml; nil if there is none. The caller must not change it.
func (c *Chart) Defaults() map[string]any { return c.defaults }

// Read reads a packaged chart (.tgz).
func Read(file string) (*Chart, error) {
	packed, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }() // it was only read
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", file, err)
	}
	chart := &Chart{names: map[string]bool{"global": true}}
	entries := tar.NewReader(unpacked)
	for {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return chart, nil
		}
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", file, err)
		}
		if err := chart.add(entry.Name, io.LimitReader(entries, fileLimit)); err != nil {
			return nil, fmt.Errorf("chart %s: %s: %w", file, entry.Name, err)
		}
	}
}

// add reads one file of the chart. path begins with the chart's name.
func (c *Chart) add(path string, content io.Reader) error {
	_, inside, _ := strings.Cut(path, "/")
	switch {
	case strings.HasPrefix(inside, "charts/"):
		subchart, _, _ := strings.Cut(strings.TrimPrefix(inside, "charts/"), "/")
		c.names[subchart] = true
		return nil
	case inside == "Chart.yaml":
		return addFrom(content, func(text []byte) error {
			var chart struct {
				Dependencies []struct{ Name, Alias string } `json:"dependencies"`
			}
			err := yaml.Unmarshal(text, &chart)
			for _, one := range chart.Dependencies {
				c.names[one.Name], c.names[one.Alias] = true, true
			}
			delete(c.names, "")
			return err
		})
	case inside == "values.yaml":
		return addFrom(content, func(text []byte) error {
			err := yaml.Unmarshal(text, &c.defaults)
			c.addKeys(c.defaults)
			return err
		})
	case inside == "values.schema.json":
		return addFrom(content, func(text []byte) error {
			var schema map[string]any
			err := json.Unmarshal(text, &schema)
			c.schema = text
			c.addKeys(properties(schema))
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

func (c *Chart) addKeys(object map[string]any) {
	for name := range object {
		c.names[name] = true
	}
}

// properties returns the top-level properties of a schema. It follows a top-level $ref, as in
// cert-manager's schema.
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
