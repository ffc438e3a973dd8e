package await

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// expression is one part of a waitFor annotation.
type expression interface {
	// satisfied looks at one object; the message says what is missing.
	satisfied(obj *unstructured.Unstructured) (ok bool, message string, err error)
}

// parse reads a waitFor annotation: one expression or a JSON array of them.
func parse(annotation string) ([]expression, error) {
	var texts []string
	if err := json.Unmarshal([]byte(annotation), &texts); err != nil {
		texts = []string{annotation}
	}
	if len(texts) == 0 {
		return nil, errors.New("at least one condition must be specified")
	}
	expressions := make([]expression, 0, len(texts))
	for _, text := range texts {
		parsed, err := parseOne(text)
		if err != nil {
			return nil, err
		}
		expressions = append(expressions, parsed)
	}
	return expressions, nil
}

func parseOne(text string) (expression, error) {
	if rest, ok := strings.CutPrefix(text, "jsonpath="); ok {
		return parsePath(rest)
	}
	if rest, ok := strings.CutPrefix(text, "condition="); ok {
		name, status, given := strings.Cut(rest, "=")
		if !given {
			status = "True"
		}
		return condition{name: name, status: status}, nil
	}
	return nil, fmt.Errorf(`expected a "jsonpath=" or "condition=" prefix, got %q`, text)
}

// path compares the first value that a JSONPath selects with a text.
type path struct {
	query *jsonpath.Path
	text  string
	want  string
}

var braces = regexp.MustCompile(`\{\s*(.*?)\s*\}`)

// parsePath splits at every "=" that is not part of "==", as upstream does: a
// value with "=", "!=" and ">=" are errors, and {path}==value only tests
// existence.
func parsePath(text string) (expression, error) {
	const doubled = "\x00"
	parts := strings.Split(strings.ReplaceAll(text, "==", doubled), "=")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], doubled, "==")
	}
	if len(parts) > 2 {
		return nil, fmt.Errorf("format should be {.path}=value or {.path}, got %q", text)
	}
	p := path{text: parts[0]}
	if len(parts) == 2 {
		if p.want = parts[1]; p.want == "" {
			return nil, fmt.Errorf("%s= requires a value", p.text)
		}
	}
	if strings.HasPrefix(p.text, "'") && strings.HasSuffix(p.text, "'") {
		return nil, fmt.Errorf("%s should omit shell quotes", p.text)
	}
	inner := braces.FindStringSubmatch(p.text)
	if inner == nil {
		return nil, fmt.Errorf("%s should be wrapped in brackets { ... }", p.text)
	}
	query := inner[1]
	if !strings.HasPrefix(query, "$") {
		query = "$" + query
	}
	var err error
	if p.query, err = jsonpath.Parse(query); err != nil {
		return nil, fmt.Errorf("parsing %q: %w", p.text, err)
	}
	return p, nil
}

func (p path) satisfied(obj *unstructured.Unstructured) (bool, string, error) {
	waiting := "Waiting for " + p.text
	if p.want != "" {
		waiting += "=" + p.want
	}
	if !observed(obj) {
		return false, waiting, nil
	}
	values := slices.Collect(p.query.Select(obj.Object).All())
	if len(values) == 0 {
		return false, p.text + " selected nothing", nil
	}
	switch values[0].(type) {
	case []any, map[string]any:
		if p.want != "" {
			return false, waiting, fmt.Errorf("%q has a non-primitive value (%v)", p.text, values[0])
		}
		return true, "", nil
	}
	found := fmt.Sprint(values[0])
	if p.want == "" || p.want == found {
		return true, "", nil
	}
	return false, fmt.Sprintf("%s (found %q)", waiting, found), nil
}

// condition looks for an entry of status.conditions, whatever its case.
type condition struct{ name, status string }

func (c condition) satisfied(obj *unstructured.Unstructured) (bool, string, error) {
	waiting := fmt.Sprintf("Waiting for condition %s=%s", c.name, c.status)
	generation := obj.GetGeneration()
	for _, entry := range conditions(obj) {
		if !strings.EqualFold(text(entry, "type"), c.name) {
			continue
		}
		seen, found, _ := unstructured.NestedInt64(entry, "observedGeneration")
		if !observed(obj) || (found && seen < generation) {
			return false, waiting, nil
		}
		if strings.EqualFold(text(entry, "status"), c.status) {
			return true, "", nil
		}
		return false, fmt.Sprintf("%s (found %q)", waiting, text(entry, "status")), nil
	}
	return false, waiting, nil
}

// observed is false while the controller has not seen the newest generation.
func observed(obj *unstructured.Unstructured) bool {
	seen, found, _ := unstructured.NestedInt64(obj.Object, "status", "observedGeneration")
	return !found || seen >= obj.GetGeneration()
}

func conditions(obj *unstructured.Unstructured) []map[string]any {
	entries, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	var result []map[string]any
	for _, entry := range entries {
		if fields, ok := entry.(map[string]any); ok {
			result = append(result, fields)
		}
	}
	return result
}

func text(fields map[string]any, name string) string {
	value, _ := fields[name].(string)
	return value
}
