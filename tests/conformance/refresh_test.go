package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/conformance/internal/plugin"
)

var refreshCases = []testCase{
	{"a refresh shows drift in what the inputs say, and the next update mends it",
		func(t *testing.T) {
			w := newWorld(t)
			r := w.resource("core/v1:ConfigMap", "cm")
			inputs := labelled("cm", map[string]any{"a": "1"})
			up(t, r, plugin.Create, inputs)
			w.patch(configMaps, "cm", `{"metadata":{"labels":{"a":"drifted","theirs":"1"}}}`)
			require.NoError(t, r.Refresh(t.Context()))
			assert.Equal(t, "drifted", text(r.State, "metadata", "labels", "a"))
			assert.Equal(t, "drifted", text(r.Inputs, "metadata", "labels", "a"))
			assert.Empty(t, text(r.Inputs, "metadata", "labels", "theirs"))
			diff, err := r.Diff(t.Context(), mustCheck(t, r, inputs))
			require.NoError(t, err)
			assert.Contains(t, diff.GetDetailedDiff(), "metadata.labels.a")
		}},
	{"a refresh without drift leads to no change", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		inputs := labelled("cm", map[string]any{"a": "1"})
		up(t, r, plugin.Create, inputs)
		require.NoError(t, r.Refresh(t.Context()))
		up(t, r, plugin.Same, inputs)
	}},
	{"a refresh drops an object that is gone", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		inputs := labelled("cm", map[string]any{"a": "1"})
		up(t, r, plugin.Create, inputs)
		w.remove(configMaps, "cm")
		require.NoError(t, r.Refresh(t.Context()))
		assert.Empty(t, r.ID)
		up(t, r, plugin.Create, inputs)
	}},
	{"an import reads the object by its id", func(t *testing.T) {
		w := newWorld(t)
		w.create(configMaps, object("v1", "ConfigMap", "cm",
			map[string]any{"data": map[string]any{"k": "v"}}))
		r := w.resource("core/v1:ConfigMap", "cm")
		r.ID = w.namespace + "/cm"
		require.NoError(t, r.Refresh(t.Context()))
		assert.Equal(t, "v", text(r.State, "data", "k"))
	}},
	{"a refresh keeps secrets secret", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Secret", "s")
		inputs := props(map[string]any{"apiVersion": "v1", "kind": "Secret",
			"metadata": meta("s", nil)})
		inputs["stringData"] = secretMap("password", "hidden")
		up(t, r, plugin.Create, inputs)
		require.NoError(t, r.Refresh(t.Context()))
		assert.True(t, isSecret(r.State, "data", "password") || isSecret(r.State, "data"))
	}},
}
