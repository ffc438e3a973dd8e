package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"strata/config"
	"strata/tests/configdocs"
)

// schemaOfStackFiles returns the committed schema, compiled by the validator that Pulumi uses for
// its own project files.
func schemaOfStackFiles(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.Open("../docs/config.schema.json")
	require.NoError(t, err)
	defer func() { require.NoError(t, text.Close()) }()
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("stack.json", text))
	schema, err := compiler.Compile("stack.json")
	require.NoError(t, err)
	return schema
}

// refusals returns the places in a stack file that the schema refuses, each with its reason.
func refusals(t *testing.T, schema *jsonschema.Schema, file []byte) []string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(file, &value))
	err := schema.Validate(value)
	if err == nil {
		return nil
	}
	var refused *jsonschema.ValidationError
	require.ErrorAs(t, err, &refused)
	var places []string
	var visit func(*jsonschema.ValidationError)
	visit = func(at *jsonschema.ValidationError) {
		if len(at.Causes) == 0 {
			places = append(places, at.InstanceLocation+": "+at.Message)
		}
		for _, cause := range at.Causes {
			visit(cause)
		}
	}
	visit(refused)
	return places
}

// stackFile returns a stack file with these sections, as JSON. A section that is not JSON becomes a
// text.
func stackFile(t *testing.T, raw map[string]string) []byte {
	t.Helper()
	sections := map[string]any{}
	for name, text := range raw {
		sections["strata:"+name] = text
		if json.Valid([]byte(text)) {
			sections["strata:"+name] = json.RawMessage(text)
		}
	}
	file, err := json.Marshal(map[string]any{"config": sections})
	require.NoError(t, err)
	return file
}

func TestCommittedStackFilesNameSchemaAndAreValid(t *testing.T) {
	schema := schemaOfStackFiles(t)
	paths, err := filepath.Glob("../Pulumi.*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(paths), 4)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), configdocs.Modeline),
			"%s: its first line names the schema for editors", path)
		asJSON, err := yaml.YAMLToJSON(text)
		require.NoError(t, err)
		assert.Empty(t, refusals(t, schema, asJSON), path)
	}
	assert.FileExists(t, "../"+strings.TrimSpace(strings.TrimPrefix(configdocs.Modeline,
		"# yaml-language-server: $schema=")))
}

// expressible matches problems with the form of a value. The schema must report them, too.
var expressible = regexp.MustCompile(`is not a known (key|section|driver|role|issuer|ingress controller|type)|is not an architecture|is neither full nor skip|is neither http01 nor dns01|` +
	`is not (an object|a list|a whole number|a text|true or false|on or off|a duration|a network in CIDR form|an IP address)`)

func TestSchemaRefusesValuesThatValidatorCannotRead(t *testing.T) {
	schema, counted := schemaOfStackFiles(t), 0
	for _, rule := range rules {
		raw := good()
		for section, text := range rule.change {
			raw[section] = text
		}
		if expressible.MatchString(rule.want) {
			counted++
			assert.NotEmpty(t, refusals(t, schema, stackFile(t, raw)), rule.name)
		}
	}
	assert.Greater(t, counted, 20)
}

// at returns a configuration in which only one key is set; a list has one entry.
func at(key string, value any) map[string]any {
	steps := strings.Split(strings.TrimPrefix(key, "strata:"), ".")
	for i := len(steps) - 1; i >= 0; i-- {
		name, isList := strings.CutSuffix(steps[i], "[]")
		if isList {
			value = []any{value}
		}
		value = map[string]any{name: value}
	}
	section := strings.TrimSuffix(steps[0], "[]")
	return map[string]any{"strata:" + section: value.(map[string]any)[section]}
}

// unread reports whether the validator fails to read the value of a key. It writes the stack file
// to path.
func unread(t *testing.T, path, key string, file []byte) bool {
	t.Helper()
	require.NoError(t, os.WriteFile(path, file, 0o600))
	_, err := config.OfStack(filepath.Dir(path), "dev", path)
	if err == nil {
		return false
	}
	place := regexp.QuoteMeta(strings.ReplaceAll(key, "[]", "[0]"))
	return regexp.MustCompile(`(?m)^` + place +
		`(\[[^]]*\])?: (\S.* )?is (encrypted( as a whole|, and)|not (an object|a list|a whole number|a text|true or false|on or off|` +
		`a duration|a network in CIDR form|an IP address))`).MatchString(err.Error())
}

// TestSchemaAndValidatorReadSameValues gives each key each kind of value, including an
// encrypted one.
func TestSchemaAndValidatorReadSameValues(t *testing.T) {
	schema := schemaOfStackFiles(t)
	fields, err := configdocs.Fields(".")
	require.NoError(t, err)
	values := map[string]any{
		"a number": 7, "a fraction": 7.5, "a switch": true, "a text": "zzz",
		"an address": "10.0.0.1", "a network": "10.0.0.0/8", "a duration": "1h30m", "null": nil,
		"an empty list": []any{}, "texts": []any{"zzz"}, "numbers": []any{7},
		"an empty object": map[string]any{}, "text by name": map[string]any{"zzz": "zzz"},
		"an encrypted text":       map[string]any{"secure": "v1:abc"},
		"encrypted texts":         []any{map[string]any{"secure": "v1:abc"}},
		"text by name, encrypted": map[string]any{"zzz": map[string]any{"secure": "v1:abc"}},
	}
	compared, path := 0, filepath.Join(t.TempDir(), "stack.yaml")
	for _, field := range fields {
		for name, value := range values {
			if strings.Contains(field.Type, " or ") && field.Type != "true or false" &&
				(name == "a text" || name == "texts" || value == "10.0.0.1" ||
					value == "10.0.0.0/8" || value == "1h30m") {
				continue // which of a few texts it is, is a rule of its own
			}
			if name == "text by name" || name == "text by name, encrypted" {
				if field.Type == "object" || strings.HasPrefix(field.Type, "list of object") {
					continue // an unknown key
				}
			}
			file, err := json.Marshal(map[string]any{"config": at(field.Key, value)})
			require.NoError(t, err)
			place := "/config/" + strings.ReplaceAll(strings.ReplaceAll(field.Key, "[]", "/0"),
				".", "/")
			refused := false
			for _, one := range refusals(t, schema, file) {
				where, message, _ := strings.Cut(one, ": ")
				within := where == place || strings.HasPrefix(where, place+"/")
				refused = refused || within &&
					(!strings.Contains(message, "missing properties") ||
						strings.Contains(message, "secure"))
			}
			assert.Equal(t, unread(t, path, field.Key, file), refused, "%s: %s: %s", field.Key,
				name, file)
			compared++
		}
	}
	assert.Greater(t, compared, 1000)
}

func TestSchemaAcceptsOnlyDocumentedStringChoices(t *testing.T) {
	schema := schemaOfStackFiles(t)
	fields, err := configdocs.Fields(".")
	require.NoError(t, err)
	checked := 0
	for _, field := range fields {
		if !strings.Contains(field.Type, " or ") || field.Type == "true or false" {
			continue
		}
		checked++
		var value any = "zzz"
		if strings.HasPrefix(field.Type, "list of ") {
			value = []any{"zzz"}
		}
		file, err := json.Marshal(map[string]any{"config": at(field.Key, value)})
		require.NoError(t, err)
		assert.NotEmpty(t, refusals(t, schema, file), field.Key)
		for _, choice := range strings.Split(strings.TrimPrefix(field.Type, "list of "), " or ") {
			value = choice
			if strings.HasPrefix(field.Type, "list of ") {
				value = []any{choice}
			}
			file, err = json.Marshal(map[string]any{"config": at(field.Key, value)})
			require.NoError(t, err)
			for _, one := range refusals(t, schema, file) {
				assert.Contains(t, one, "missing properties", fmt.Sprint(field.Key, "=", choice))
			}
		}
	}
	assert.Greater(t, checked, 7)
}

func TestSchemaIgnoresKeysOfOtherNamespaces(t *testing.T) {
	schema := schemaOfStackFiles(t)
	for file, valid := range map[string]bool{
		`{"config":{"kubernetes:kubeconfig":"x","pulumi:disable-default-providers":["*"]},"encryptionsalt":"v1:abc"}`: true,
		`{"config":{"hosts":{"driver":"existing"}}}`:                                                                  true, // Pulumi puts it into the project's namespace
		`{"config":{"hosts":{"drivr":"existing"}}}`:                                                                   false,
		`{"config":{"strata:hots":{}}}`:                                                                               false,
		`{"config":{"hots":{}}}`:                                                                                      false,
		`{"config":null}`:                                                                                             true,
		`{"config":{"strata:hosts":{"nodes":[{"name":"a","role":"server"}]}}}`:                                        false, // an address is missing
	} {
		assert.Equal(t, valid, len(refusals(t, schema, []byte(file))) == 0, file)
	}
}
