package configdocs_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/configdocs"
)

var update = flag.Bool("update", false, "rewrite docs/config.md and docs/config.schema.json")

const configDir = "../../config"

func TestReferenceIsUpToDate(t *testing.T) {
	for file, render := range map[string]func(string) (string, error){
		"config.md": configdocs.Render, "config.schema.json": configdocs.Schema} {
		want, err := render(configDir)
		require.NoError(t, err)
		page := filepath.Join("../../docs", file)
		if *update {
			require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		}
		got, err := os.ReadFile(page)
		require.NoError(t, err)
		assert.Equal(t, want, string(got), "docs/%s is stale; run: go generate ./config", file)
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	fields, err := configdocs.Fields(configDir)
	require.NoError(t, err)
	require.Greater(t, len(fields), 30)
	for _, field := range fields {
		assert.NotEmpty(t, field.Doc, field.Key)
		assert.NotEmpty(t, field.Type, field.Key)
	}
}

// documented finds a default that a comment states as a value. A comment with "Default: …"
// describes a default that depends on other keys.
var documented = regexp.MustCompile(`Default ([^:;]+?)(;|\.( |$))`)

func TestDocumentedDefaultsMatchCode(t *testing.T) {
	cfg, err := config.Load("dev", map[string]string{
		"hosts":   `{"driver":"existing","subnet":"10.10.0.0/24","nodes":[{"name":"a","role":"server","address":"10.10.0.11"}]}`,
		"metallb": `{"addresses":["10.10.0.200/29"]}`,
		// These entries exist so that their defaults are checked.
		"apps": `{"certWaitImage":"r/c:1","workloads":[{"name":"a","image":"a:1","certificate":{},"canary":{},"routes":[{}]}]}`,
	}, func(string) string { return "" })
	require.NoError(t, err)
	text, err := json.Marshal(cfg)
	require.NoError(t, err)
	var tree map[string]any
	require.NoError(t, json.Unmarshal(text, &tree))

	fields, err := configdocs.Fields(configDir)
	require.NoError(t, err)
	checked := 0
	for _, field := range fields {
		match := documented.FindStringSubmatch(field.Doc)
		if match == nil {
			continue
		}
		value := at(tree, strings.TrimPrefix(field.Key, "strata:"))
		if zero, isLeftOut := map[string]any{"true or false": false,
			"number": 0}[field.Type]; isLeftOut &&
			value == nil {
			value = zero
		}
		assert.Equal(t, match[1], written(value), field.Key)
		checked++
	}
	assert.Greater(t, checked, 15)
}

func at(tree map[string]any, path string) any {
	var value any = tree
	for _, name := range strings.Split(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		name, isList := strings.CutSuffix(name, "[]")
		if value = object[name]; isList {
			entries, _ := value.([]any)
			if len(entries) == 0 {
				return nil
			}
			value = entries[0]
		}
	}
	return value
}

// written returns a value in the notation of doc comments.
func written(value any) string {
	if list, ok := value.([]any); ok {
		words := make([]string, len(list))
		for i := range list {
			words[i] = fmt.Sprint(list[i])
		}
		return strings.Join(words, ", ")
	}
	text := fmt.Sprint(value)
	for _, none := range []struct{ end, zero string }{{"m0s", "0s"}, {"h0m", "0m"}} {
		if strings.HasSuffix(text, none.end) {
			text = strings.TrimSuffix(text, none.zero)
		}
	}
	return text
}

// inSchema returns a key's part of the schema of stack files; nil if it has none.
func inSchema(schema map[string]any, key string) map[string]any {
	section, rest, _ := strings.Cut(key, ".")
	below := schema["properties"].(map[string]any)["config"].(map[string]any)["properties"].(map[string]any)
	found, _ := below[section].(map[string]any)
	if rest == "" {
		return found
	}
	for _, name := range strings.Split(rest, ".") {
		name, isList := strings.CutSuffix(name, "[]")
		properties, _ := found["properties"].(map[string]any)
		if found, _ = properties[name].(map[string]any); isList {
			found, _ = found["items"].(map[string]any)
		}
	}
	return found
}

func TestSchemaHasEveryDocumentedKeyAndItsText(t *testing.T) {
	text, err := configdocs.Schema(configDir)
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &schema))
	fields, err := configdocs.Fields(configDir)
	require.NoError(t, err)
	for _, field := range fields {
		assert.Equal(t, field.Doc, inSchema(schema, field.Key)["description"], field.Key)
	}
	assert.NotNil(t, inSchema(schema, "strata:hosts.nodes[].ssh.port"),
		"which the page has only once")
	assert.Equal(t, []any{"name", "role", "address"},
		inSchema(schema,
			"strata:hosts")["properties"].(map[string]any)["nodes"].(map[string]any)["items"].(map[string]any)["required"])
}
