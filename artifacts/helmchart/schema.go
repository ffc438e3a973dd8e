package helmchart

import (
	"bytes"
	"errors"
	"maps"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Refusal describes a value that violates a chart's schema.
type Refusal struct {
	// Path lists the keys and indexes that lead to the value.
	Path []string
	// Rule says which rule the value violates. It may quote the value.
	Rule string
	// Keyword is the path of the violated rule in the schema.
	Keyword string
}

// schemaFile is the name of the schema with which Helm validates values.
const schemaFile = "values.schema.json"

// Refusals validates values, merged over the chart's defaults, with the chart's schema, as Helm
// does. It returns none if the chart has no schema. It does not check the schemas of subcharts.
func (c *Chart) Refusals(values map[string]any) ([]Refusal, error) {
	if c.schema == nil {
		return nil, nil
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaFile, bytes.NewReader(c.schema)); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile(schemaFile)
	if err != nil {
		return nil, err
	}
	var refused *jsonschema.ValidationError
	if err := schema.Validate(mergeValues(c.defaults, values)); !errors.As(err, &refused) {
		return nil, err
	}
	return causes(refused), nil
}

// causes returns the innermost violations of a validation error.
func causes(of *jsonschema.ValidationError) (found []Refusal) {
	for _, cause := range of.Causes {
		found = append(found, causes(cause)...)
	}
	if len(found) > 0 {
		return found
	}
	path := strings.Split(of.InstanceLocation, "/")[1:]
	for i, step := range path {
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	}
	return []Refusal{{path, of.Message, of.KeywordLocation}}
}

// mergeValues returns values merged over defaults: objects are merged recursively, every other
// value replaces its default.
func mergeValues(defaults, values map[string]any) map[string]any {
	merged := map[string]any{}
	maps.Copy(merged, defaults)
	for name, value := range values {
		if object, is := value.(map[string]any); is {
			below, _ := merged[name].(map[string]any)
			value = mergeValues(below, object)
		}
		merged[name] = value
	}
	return merged
}
