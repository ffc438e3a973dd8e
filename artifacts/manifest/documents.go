package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
)

// documents validates each document that kubectl's reader reads from a file, before the reader
// decodes it. It collects the errors in wrong.
type documents struct {
	file   string
	number int
	wrong  []error
}

// ValidateBytes implements resource.ContentValidator. It records documents that the reader would
// refuse or change, and returns no error itself: the reader's error would quote the text, which may
// be a Secret's.
func (d *documents) ValidateBytes(text []byte) error {
	d.number++
	at := fmt.Sprintf("document %d", d.number)
	var object map[string]any
	twice, err := kjson.UnmarshalStrict(text, &object)
	if err != nil {
		d.refuse(at, errors.New("is no object"))
		return nil
	}
	for _, err := range append(twice, checkKind(object)) { // twice has duplicate keys
		d.refuse(at, err)
	}
	d.check(at, object)
	return nil
}

func (d *documents) refuse(at string, err error) {
	if err != nil {
		d.wrong = append(d.wrong, fmt.Errorf("%s: %s: %w", d.file, at, err))
	}
}

// check records metadata of a wrong type: the reader does not check the metadata of a list's items,
// and drops a namespace that is not a string. It also records an object that is no list but has the
// key items, because the reader would take it for a list and drop the object itself.
func (d *documents) check(at string, object map[string]any) {
	text, err := json.Marshal(map[string]any{"metadata": object["metadata"]})
	if err == nil {
		err = json.Unmarshal(text, &metav1.PartialObjectMetadata{})
	}
	d.refuse(at, err)
	items, has := object["items"]
	if kind, _ := object["kind"].(string); has && !strings.HasSuffix(kind, "List") {
		d.refuse(at, fmt.Errorf("%s has the key items, so kubectl reads a list; remove the key", kind))
	}
	list, _ := items.([]any)
	for i, item := range list {
		object, _ := item.(map[string]any)
		at := fmt.Sprintf("%s: items[%d]", at, i)
		if object["kind"] != nil || object["apiVersion"] != nil { // without both, they follow from the list's kind
			d.refuse(at, checkKind(object))
		}
		d.check(at, object)
	}
}

// checkKind returns an error for an apiVersion or kind that no API server can serve.
func checkKind(object map[string]any) error {
	m := unstructured.Unstructured{Object: object}
	if m.GetAPIVersion() == "" || m.GetKind() == "" {
		return errors.New("expected apiVersion and kind")
	}
	if _, err := schema.ParseGroupVersion(m.GetAPIVersion()); err != nil {
		return fmt.Errorf("apiVersion: %w", err)
	}
	if rules := validation.IsDNS1035Label(strings.ToLower(m.GetKind())); len(rules) > 0 {
		return fmt.Errorf("kind %q: %s", m.GetKind(), rules[0])
	}
	return nil
}

// checkCount returns an error if kubectl's reader has read fewer documents than the text has. This
// happens if a separator line does not end with a newline: the reader knows no other line end, and
// takes both documents for one.
func (d *documents) checkCount(starts []int) error {
	if starts == nil || d.number >= len(starts) {
		return nil
	}
	return fmt.Errorf("%s: line %d: kubectl would not read this document; end lines with a newline",
		d.file, starts[d.number])
}

// separator matches a line that kubectl's reader takes for a separator
// (k8s.io/apimachinery/pkg/util/yaml, YAMLReader.Read). YAML requires a space before the comment,
// and knows fewer spaces.
var separator = regexp.MustCompile(`(?m)^---[\t\v\f\r\x{85}\p{Z}]*(#.*)?$`)

// documentStarts returns the first line of each non-empty document in a YAML text; nil for a stream
// of JSON. It fails for a repeated key.
func documentStarts(text []byte) ([]int, error) {
	if utilyaml.IsJSONBuffer(text) && isJSON(text) {
		return nil, nil
	}
	text = separator.ReplaceAll(text, []byte("---"))
	starts := []int{}
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return starts, nil
		}
		var value any
		if err == nil {
			err = document.Decode(&value)
		}
		if err != nil && strings.HasSuffix(err.Error(), "expected <document start>") {
			err = fmt.Errorf("%w; begin each document with a line that is ---", err)
		}
		if err != nil {
			return nil, err
		}
		if value != nil {
			starts = append(starts, document.Line)
		}
	}
}

// isJSON reports whether a text consists of JSON values only.
func isJSON(text []byte) bool {
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}
