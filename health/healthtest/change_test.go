package healthtest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func read(t *testing.T, text string) any {
	t.Helper()
	var value any
	require.NoError(t, yaml.Unmarshal([]byte(text), &value))
	return value
}

func TestFixtureChangeHasOnlyDifferencesFromBase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ base, whole, change string }{
		"nothing":               {"{a: 1}", "{a: 1}", "null"},
		"a key's value":         {"{a: 1, b: 2}", "{a: 3, b: 2}", "{a: 3}"},
		"a key that is gone":    {"{a: 1, b: 2}", "{a: 1}", "{b: null}"},
		"a key below another":   {"{a: {b: 1, c: 2}}", "{a: {b: 1, c: 3}}", "{a: {c: 3}}"},
		"all keys":              {"{a: {b: 1}}", "{a: {}}", "{a: {b: null}}"},
		"another kind of value": {"{a: [1]}", "{a: x}", "{a: x}"},
		"a list of words":       {"{a: [x, y]}", "{a: [x]}", "{a: [x]}"},
		"an item by its name": {"[{name: x, n: 1, m: 2}, {name: y, n: 2, m: 2}]",
			"[{name: x, n: 1, m: 2}, {name: y, n: 3, m: 2}]", "{y: {n: 3}}"},
		"an item that is gone": {"[{name: x, n: 1}, {name: y, n: 2}]", "[{name: y, n: 2}]",
			"{x: null}"},
		"an item that is new": {"[{name: x, n: 1}]", "[{name: x, n: 1}, {name: y, n: 2}]",
			"{y: {n: 2}}"},
		"a new first item": {"[{name: x, n: 1}]", "[{name: y, n: 2}, {name: x, n: 1}]",
			"[{name: y, n: 2}, {name: x, n: 1}]"},
		"an item by its place": {"[{n: 1, a: {b: 1, c: 1}}, {n: 2}]",
			"[{n: 1, a: {b: 1, c: 2}}, {n: 2}]", `{"0": {a: {c: 2}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, whole, change := read(t, c.base), read(t, c.whole), read(t, c.change)
			assert.Equal(t, change, difference(base, whole))
			assert.Equal(t, whole, apply(base, change))
			assert.Equal(t, read(t, c.base), base, "the base stays as it is")
		})
	}
}

func TestInvalidFixtureFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"without a base":     "cases: [{ready: x}]",
		"without a sentence": "cases: [{base: true}]",
		"of two classes":     "cases: [{ready: x, stuck: x, base: true}]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f file
			require.NoError(t, yaml.Unmarshal([]byte(text), &f))
			_, err := f.expand()
			assert.Error(t, err)
		})
	}
}
