package helmchart

import (
	"bytes"
	"errors"
	"maps"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Refusal names a value that a chart's schema refuses.
type Refusal struct {
	// Path are the names and indexes that lead to the value.
	Path []string
	// Rule says why, and may quote the value.
	Rule string
	// Keyword is the path of the rule in the schema.
	Keyword string
}

// schemaFile has the rules that Helm holds values against before it renders.
const schemaFile = "values.schema.json"

// Refusals asks the chart's schema about values over the chart's own, as Helm does. A chart without
// schema refuses none. The schemas of subcharts are not asked.
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
	if err := schema.Validate(over(c.defaults, values)); !errors.As(err, &refused) {
		return nil, err
	}
	return causes(refused), nil
}

// causes are the refusals that have no cause of their own.
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

// over are defaults with values in their place: objects are merged, anything else is replaced.
func over(defaults, values map[string]any) map[string]any {
	merged := map[string]any{}
	maps.Copy(merged, defaults)
	for name, value := range values {
		if object, is := value.(map[string]any); is {
			below, _ := merged[name].(map[string]any)
			value = over(below, object)
		}
		merged[name] = value
	}
	return merged
}
