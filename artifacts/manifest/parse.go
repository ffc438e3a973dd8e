// Package manifest reads Kubernetes objects from files as kubectl does, and rejects objects that
// Pulumi would change.
package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"
)

// Manifest is an object from a file.
type Manifest struct {
	// File is the file's name as the user wrote it.
	File string
	*unstructured.Unstructured
}

// Title returns the object's kind and name for messages, with the namespace if the file sets one.
func (m Manifest) Title() string {
	name := m.GetName()
	if name == "" {
		name = m.GetGenerateName()
	}
	if m.GetNamespace() != "" {
		name = m.GetNamespace() + "/" + name
	}
	return strings.TrimSpace(m.GetKind() + " " + name)
}

// Parse returns the objects in a file, read as by `kubectl apply --filename`: YAML documents or a
// stream of JSON, in UTF-8 or UTF-16, with the items of lists. It fails for content that kubectl
// would silently drop, and for a file without objects. Errors name the file. With an error, it also
// returns the objects that kubectl would read.
func Parse(file string, text []byte) ([]Manifest, error) {
	text, _, err := transform.Bytes(unicode.BOMOverride(encoding.UTF8Validator), text)
	if err != nil {
		return nil, fmt.Errorf("%s: is neither UTF-8 nor UTF-16 with a byte order mark: %w",
			file, err)
	}
	starts, err := documentStarts(text)
	var wrong []error
	if err != nil {
		wrong = append(wrong, fmt.Errorf("%s: %w", file, err))
	}
	read := &documents{file: file}
	infos, err := resource.NewLocalBuilder().Unstructured().Schema(read).ContinueOnError().
		Stream(bytes.NewReader(text), file).Flatten().Do().Infos()
	wrong = append(wrong, read.wrong...)
	switch {
	case err == nil:
		wrong = append(wrong, read.checkCount(starts))
	case len(wrong) == 0:
		wrong = append(wrong, fmt.Errorf("%s: %w", file, explain(err)))
	}
	var objects []Manifest
	for _, info := range infos {
		objects = append(objects, Manifest{file, info.Object.(*unstructured.Unstructured)})
	}
	if err = errors.Join(wrong...); err == nil && len(objects) == 0 {
		err = fmt.Errorf("%s: holds no object", file)
	}
	return objects, err
}
