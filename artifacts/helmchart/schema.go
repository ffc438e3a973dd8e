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
	// Path has the names and indexes that lead to the value.
	Path []string
	// Rule has the reason, and may quote the value.
	Rule string
	// Keyword is the path of the rule in the schema.
	Keyword string
}

// schemaFile has the rules by which Helm checks values before it renders.
const schemaFile = "values.schema.json"

// Refusals checks values over the chart's defaults against its schema, as Helm does. A chart
// without schema refuses none. Schemas of subcharts are not checked.
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

// causes returns the refusals that have no cause of their own.
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

// mergeValues returns the defaults with values over them: objects are merged, anything else is
// replaced.
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
