// Package manifest reads Kubernetes objects from YAML files.
package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	yamlstream "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Parse reads the objects of one file, which may hold several documents. A key that is there twice
// is an error, as it is for kubectl: one of the two values would be lost.
func Parse(text []byte) ([]*unstructured.Unstructured, error) {
	documents := yamlstream.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var objects []*unstructured.Unstructured
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		object := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict(document, &object.Object); err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		if len(object.Object) == 0 {
			continue // comments alone
		}
		if object.GetAPIVersion() == "" || object.GetKind() == "" || object.GetName() == "" {
			return nil, fmt.Errorf("document %d: expected apiVersion, kind and metadata.name", number)
		}
		if object.IsList() {
			return nil, fmt.Errorf("document %d: is a list; write its items as documents", number)
		}
		objects = append(objects, object)
	}
	if len(objects) == 0 {
		return nil, errors.New("holds no object")
	}
	return objects, nil
}
