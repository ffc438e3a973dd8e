package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	kyaml "sigs.k8s.io/yaml"
)

// documents validates each document that kubectl's reader reads from a file, before the reader
// decodes it. It collects the errors in wrong.
type documents struct {
	file   string
	number int
	wrong  []error
}

// ValidateBytes implements resource.ContentValidator. It records documents that the reader would
// refuse or change. It returns no error, because the reader's error would quote the text, which may
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
	// twice has an error for each duplicate key
	for _, err := range append(twice, checkKind(object), checkCharacters(text, object)) {
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

// check records faults that kubectl's reader does not report. It finds metadata of a wrong type:
// the reader drops a namespace that is not a string. It finds an object that is no list but has the
// key items: the reader would take it for a list and drop the object itself.
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
		object, is := item.(map[string]any)
		at := fmt.Sprintf("%s: items[%d]", at, i)
		if !is {
			d.refuse(at, errors.New("is no object"))
			continue
		}
		if object["kind"] != nil || object["apiVersion"] != nil { // without both, the list's kind implies them
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
	version, err := schema.ParseGroupVersion(m.GetAPIVersion())
	if err != nil {
		return fmt.Errorf("apiVersion: %w", err)
	}
	if rules := append(validation.IsDNS1035Label(version.Version),
		validation.IsDNS1123Subdomain(cmp.Or(version.Group, "core"))...); len(rules) > 0 {
		return fmt.Errorf("apiVersion %q: %s", m.GetAPIVersion(), rules[0])
	}
	if rules := validation.IsDNS1035Label(strings.ToLower(m.GetKind())); len(rules) > 0 {
		return fmt.Errorf("kind %q: %s", m.GetKind(), rules[0])
	}
	return nil
}

// checkCharacters returns an error if the decoded object has more replacement characters (U+FFFD)
// than its text. Decoders replace bytes that are not UTF-8, such as those of YAML's !!binary.
func checkCharacters(text []byte, object map[string]any) error {
	decoded, err := json.Marshal(object)
	lost := []byte(string(utf8.RuneError))
	if err == nil && bytes.Count(decoded, lost) > bytes.Count(text, lost) {
		err = errors.New("has bytes that are not UTF-8, which kubectl would replace; " +
			"write them as base64 into binaryData of a ConfigMap, or data of a Secret")
	}
	return err
}

// checkCount returns an error if kubectl's reader has read fewer documents than the text has. The
// reader ends lines only at newlines. So it does not see a separator between carriage returns, and
// takes both documents for one.
func (d *documents) checkCount(starts []int) error {
	if starts == nil || d.number >= len(starts) {
		return nil
	}
	return fmt.Errorf("%s: line %d: kubectl would not read this document; end lines with a newline",
		d.file, starts[d.number])
}

// separator matches a line that kubectl's reader takes for a separator
// (k8s.io/apimachinery/pkg/util/yaml, YAMLReader.Read). YAML requires a space before a comment, and
// allows fewer space characters. The reader refuses a line that matches only badSeparator.
var (
	separator    = regexp.MustCompile(`(?m)^---[\t\v\f\r\x{85}\p{Z}]*(#.*)?$`)
	badSeparator = regexp.MustCompile(`(?m)^---.+$`)
)

// sniffed is the number of bytes by which kubectl's reader tells JSON from YAML
// (k8s.io/cli-runtime/pkg/resource, StreamVisitor.Visit).
const sniffed = 4096

// documentStarts returns the line number of each non-empty document in a YAML text; nil for a
// stream of JSON. It fails for text that the reader would misread, such as a repeated key.
func documentStarts(text []byte) ([]int, error) {
	if utilyaml.IsJSONBuffer(text[:min(len(text), sniffed)]) && isJSON(text) {
		return nil, nil
	}
	text = separator.ReplaceAll(text, []byte("---"))
	if at := badSeparator.FindIndex(text); at != nil {
		return nil, fmt.Errorf("line %d: kubectl reads nothing but a comment behind ---; "+
			"begin the document in the next line", bytes.Count(text[:at[0]], []byte("\n"))+1)
	}
	starts := []int{}
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return starts, nil
		}
		if err != nil {
			return nil, explain(err)
		}
		if err := checkKeys(&document); err != nil {
			return nil, err
		}
		if document.Content[0].ShortTag() != "!!null" {
			starts = append(starts, document.Line)
		}
	}
}

// explain returns an error of a reader with its fix. It withholds an error that quotes the text,
// which may be a Secret's.
func explain(err error) error {
	switch text := err.Error(); {
	case strings.HasSuffix(text, "expected <document start>"):
		return fmt.Errorf("%w; begin each document with a line that is ---", err)
	case strings.Contains(text, "unknown anchor"):
		return errors.New("refers to an unknown anchor; quote texts that begin with *")
	case strings.ContainsAny(text, "\"`{"):
		return errors.New("kubectl cannot read it; see kubectl label --local a=b --filename FILE")
	}
	return err
}

// checkKeys returns an error for two keys of a mapping that become the same key of JSON, such as
// yes and on. kubectl's reader would drop the first one.
func checkKeys(node *yaml.Node) error {
	seen := map[string]int{} // line number by key
	for i, below := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 && below.ShortTag() != "!!merge" {
			key, err := readKey(below)
			if err != nil {
				return fmt.Errorf("line %d: kubectl cannot read this key", below.Line)
			}
			if line, twice := seen[key]; twice {
				return fmt.Errorf("line %d: kubectl reads this key as %q, like the key in line %d; "+
					"remove one", below.Line, key, line)
			}
			seen[key] = below.Line
		}
		if err := checkKeys(below); err != nil {
			return err
		}
	}
	return nil
}

// readKey returns the JSON key that kubectl's reader makes of a YAML key.
func readKey(key *yaml.Node) (string, error) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	// Decoding is slow, so skip long words: only short words and numbers have several forms.
	if text := key.Value; key.ShortTag() == "!!str" && len(text) > len("false") &&
		unicode.IsLetter(rune(text[0])) {
		return text, nil
	}
	text, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		{Kind: key.Kind, Tag: key.Tag, Value: key.Value, Style: key.Style, Content: key.Content},
		{Kind: yaml.ScalarNode, Value: "0"}}})
	if err != nil {
		return "", err
	}
	var object map[string]any
	err = kyaml.Unmarshal(text, &object)
	for key := range object {
		return key, err
	}
	return "", err
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
