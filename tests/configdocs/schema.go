package configdocs

import (
	"encoding/json"
	"go/ast"
	"regexp"
	"strings"

	"strata/config"
)

// Modeline names the schema in a stack file beside the project's Pulumi.yaml, for editors whose
// YAML support is yaml-language-server.
const Modeline = "# yaml-language-server: $schema=docs/config.schema.json\n"

// object is a JSON object of a schema.
type object = map[string]any

// Every value may be null, which means that it is not set. Only a text may be encrypted
// (config.Sealed), unless commands of strata need it (tag plain).
var (
	encrypted = object{"secure": object{"type": "string"}}
	sealed    = object{"type": "object", "properties": encrypted, "required": []string{"secure"},
		"additionalProperties": false}
	text = object{"type": []string{"string", "object", "null"}, "properties": encrypted,
		"required": []string{"secure"}, "additionalProperties": false}
)

// leaves are the schemas of the leaf types. The program checks the other rules, such as the range
// of an address.
var leaves = map[string]object{
	"string": text,
	"int":    {"type": []string{"integer", "null"}},
	"bool":   {"type": []string{"boolean", "null"}},
	"netip.Addr": {"type": []string{"string", "null"},
		"anyOf": []object{{"format": "ipv4"}, {"format": "ipv6"}}},
	"netip.Prefix": {"type": []string{"string", "null"}, "pattern": "^[0-9a-fA-F:.]+/[0-9]{1,3}$"},
	"metav1.Duration": {"type": []string{"string", "null"},
		"pattern": `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`},
	"Switch": {"enum": []any{nil, "on", "off", true, false, "true", "false"}},
	"map[string]string": {"type": []string{"object", "null"}, "additionalProperties": text,
		"not": sealed},
	"map[string]any": {"type": []string{"object", "null"}, "not": sealed},
	"Values":         {"type": []string{"object", "null"}, "not": sealed},
	"DNS01Solver":    {"type": []string{"object", "null"}, "not": sealed},
}

// required finds the keys that each entry of a list must have. Elsewhere, required keys depend on
// other keys.
var required = regexp.MustCompile(`\bRequired(, unique)?\.`)

// Schema returns the JSON Schema of stack files, from the same source as Render. It accepts
// Pulumi's own keys in a stack file unchecked.
func Schema(configDir string) (string, error) {
	parsed, err := parse(configDir)
	if err != nil {
		return "", err
	}
	qualified, bare, names := object{}, object{}, []string{}
	for _, section := range parsed.structs["Config"].Fields.List {
		name := jsonName(section)
		if name == "" {
			continue
		}
		// Pulumi puts a key without a namespace into the project's. Editors do not offer keys that
		// a pattern matches.
		qualified[config.Namespace+":"+name], bare["^"+name+"$"] = parsed.fieldSchema(section),
			object{"$ref": "#/properties/config/properties/" + config.Namespace + ":" + name}
		names = append(names, config.Namespace+":"+name, name)
	}
	others := object{"pattern": "^[^:]+:", "not": object{"pattern": "^" + config.Namespace + ":"}}
	schema := object{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Stack file of Strata",
		"$comment": "Generated from package config by `go generate ./config`; edit the doc comments there.",
		"type":     "object",
		"properties": object{"config": object{
			"type": []string{"object", "null"}, "properties": qualified, "patternProperties": bare,
			"propertyNames": object{"anyOf": []object{{"enum": names}, others}},
		}},
	}
	written, err := json.MarshalIndent(schema, "", "  ")
	return string(written) + "\n", err
}

// fieldSchema returns the schema of a field with its documentation.
func (s *source) fieldSchema(field *ast.Field) object {
	schema := object{"description": s.doc(field)}
	for key, value := range s.schema(field, typeName(field.Type)) {
		schema[key] = value
	}
	return schema
}

// schema returns the schema of a field's type, or of its entries.
func (s *source) schema(field *ast.Field, name string) object {
	if element, isList := strings.CutPrefix(name, "[]"); isList {
		entry := s.schema(field, element)
		if body := s.structs[element]; body != nil {
			entry["required"] = requiredOf(body)
		}
		return object{"type": []string{"array", "null"}, "items": entry}
	}
	if choices := s.choices(field, name); choices != nil {
		values := []any{nil}
		for _, choice := range choices {
			values = append(values, choice)
		}
		return object{"enum": values}
	}
	if tagOf(field).Get("plain") != "" {
		return object{"type": []string{"string", "null"}}
	}
	if leaf, ok := leaves[name]; ok {
		return leaf
	}
	properties := object{}
	if body := s.structs[name]; body != nil {
		for _, below := range body.Fields.List {
			if key := jsonName(below); key != "" {
				properties[key] = s.fieldSchema(below)
			}
		}
	}
	return object{"type": []string{"object", "null"}, "properties": properties,
		"additionalProperties": false}
}

// requiredOf returns the keys that every entry must have.
func requiredOf(body *ast.StructType) []string {
	keys := []string{}
	for _, field := range body.Fields.List {
		if key := jsonName(field); key != "" && required.MatchString(field.Doc.Text()) {
			keys = append(keys, key)
		}
	}
	return keys
}
