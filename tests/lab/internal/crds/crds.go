package crds

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// kinds are the kinds that a CRD file may contain: CRDs, and the admission policy that protects
// Gateway API's CRDs.
var kinds = []string{"CustomResourceDefinition", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}

// Join writes the YAML documents of the files to out, in order, each after a "---" line. It fails
// for a file without an object, an object of another kind, and a duplicate object.
func Join(out string, files ...string) error {
	var text bytes.Buffer
	seen := map[string]string{}
	for _, file := range files {
		documents, err := read(file)
		if err != nil {
			return err
		}
		for _, document := range documents {
			name, err := check(document)
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(file), err)
			}
			if first := seen[name]; first != "" {
				return fmt.Errorf("%s: %s is in %s already", filepath.Base(file), name, first)
			}
			seen[name] = filepath.Base(file)
			fmt.Fprintf(&text, "---\n%s\n", bytes.TrimSpace(document))
		}
	}
	if len(seen) == 0 {
		return errors.New("no file to join")
	}
	if err := os.WriteFile(out, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the CRDs: %w", err)
	}
	return nil
}

// read returns the YAML documents of a file, without documents that have only comments.
func read(file string) ([][]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading CRDs: %w", err)
	}
	var documents [][]byte
	for document := range bytes.SplitSeq(append([]byte("\n"), text...), []byte("\n---")) {
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		if len(object) > 0 {
			documents = append(documents, document)
		}
	}
	if len(documents) == 0 {
		return nil, fmt.Errorf("%s holds no object", filepath.Base(file))
	}
	return documents, nil
}

// check returns the kind and name of an object. It fails if the kind is not in kinds.
func check(document []byte) (string, error) {
	var object struct {
		Kind     string
		Metadata struct{ Name string }
	}
	if err := yaml.Unmarshal(document, &object); err != nil {
		return "", err
	}
	if !slices.Contains(kinds, object.Kind) || object.Metadata.Name == "" {
		return "", fmt.Errorf("%s %q does not belong to CRDs", object.Kind, object.Metadata.Name)
	}
	return object.Kind + " " + object.Metadata.Name, nil
}
