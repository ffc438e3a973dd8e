package helmchart_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts/helmchart"
)

const schema = `{
	"$schema": "http://json-schema.org/draft-07/schema#",
	"required": ["name"],
	"properties": {
		"replicas": {"type": "integer", "minimum": 1},
		"ports": {"additionalProperties": {"additionalProperties": false, "properties": {"port": {"type": "integer"}, "tls": {"type": "object"}}}},
		"hosts": {"items": {"type": "string"}}
	}
}`

func TestSchemaValidatesValuesMergedWithChartDefaults(t *testing.T) {
	chart, err := helmchart.Read(pack(t, map[string]string{
		"edge/values.yaml":        "name: edge\nreplicas: 1\nports: {web: {port: 80}}\n",
		"edge/values.schema.json": schema,
	}))
	require.NoError(t, err)
	found, err := chart.Refusals(
		map[string]any{"ports": map[string]any{"web": map[string]any{"tls": map[string]any{}}},
			"replicas": int64(2)})
	require.NoError(t, err)
	assert.Empty(t, found)

	found, err = chart.Refusals(map[string]any{
		"replicas": "2", "hosts": []any{"a", int64(1)},
		"ports": map[string]any{"web/x": map[string]any{"redirectTo": "websecure"}},
	})
	require.NoError(t, err)
	assert.ElementsMatch(t, []helmchart.Refusal{
		{[]string{"replicas"}, "expected integer, but got string", "/properties/replicas/type"},
		{[]string{"hosts", "1"}, "expected string, but got number", "/properties/hosts/items/type"},
		{[]string{"ports", "web/x"}, "additionalProperties 'redirectTo' not allowed",
			"/properties/ports/additionalProperties/additionalProperties"},
	}, found)
}

func TestChartWithoutSchemaAcceptsAllValues(t *testing.T) {
	chart, err := helmchart.Read(pack(t, map[string]string{"edge/values.yaml": "name: edge\n"}))
	require.NoError(t, err)
	found, err := chart.Refusals(map[string]any{"anything": 1})
	require.NoError(t, err)
	assert.Empty(t, found)
}

func TestSchemaThatRefersToURLIsAnError(t *testing.T) {
	chart, err := helmchart.Read(
		pack(t, map[string]string{"edge/values.schema.json": `{"$ref": "https://192.0.2.1/schema.json"}`}))
	require.NoError(t, err)
	_, err = chart.Refusals(map[string]any{"anything": 1})
	assert.ErrorContains(t, err, "https://192.0.2.1/schema.json")
}
