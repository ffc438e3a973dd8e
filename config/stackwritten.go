package config

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/encoding"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"go.yaml.in/yaml/v3"
)

// checkOwnFile applies checkWritten to the stack's default file. It reports nothing if that file
// cannot be read, because the engine may have read a different file (--config-file).
func checkOwnFile(project, folder, stack string) problems {
	text, err := os.ReadFile(StackFile(folder, stack))
	if err != nil {
		return nil
	}
	mistakes, err := checkWritten(project, text)
	if err != nil {
		return nil
	}
	return mistakes
}

// checkWritten refuses the parts of a stack file that Pulumi ignores. These are one of two forms of
// a key (Pulumi does not use the same one in each run), keys beside config, and documents after the
// first. Unknown keys that resemble no configuration may hold YAML anchors.
func checkWritten(project string, text []byte) (ps problems, err error) {
	var file struct {
		Config map[string]any `yaml:"config"`
		Beside map[string]any `yaml:",inline"`
	}
	if err := encoding.YAML.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	forms := map[string]string{}
	for _, written := range slices.Sorted(maps.Keys(file.Config)) {
		key, err := fullKey(project, written)
		if err != nil {
			return nil, err
		}
		if other, there := forms[key.String()]; there {
			ps.add(key.String(), "", "is written twice, as "+other+" and as "+written,
				"keep one of them: Pulumi takes either")
		}
		forms[key.String()] = written
	}
	own := slices.Collect(maps.Keys(fieldsOf(reflect.TypeFor[workspace.ProjectStack]())))
	for name := range file.Beside {
		meant, fix := nearest(name, own), "write it below config:, indented"
		if meant != "" {
			fix = "did you mean " + meant + "?"
		}
		ps.addIf(!slices.Contains(own, name) && (meant != "" || strings.Contains(name, ":") ||
			slices.Contains(Sections(), name)), name, "", "is beside config:, where Pulumi ignores it", fix)
	}
	ps.addIf(hasMoreDocuments(text), "---", "", "begins another document, which Pulumi ignores",
		"write everything into the first document")
	return ps, nil
}

// hasMoreDocuments reports whether a text has content after its first YAML document.
func hasMoreDocuments(text []byte) bool {
	documents := yaml.NewDecoder(bytes.NewReader(text))
	var content any
	if documents.Decode(&content) != nil {
		return false // the file is empty, or Pulumi's loader reports it
	}
	var err error
	for content = nil; err == nil && content == nil; {
		err = documents.Decode(&content)
	}
	return !errors.Is(err, io.EOF)
}
