package conformance_test

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/tests/conformance/internal/plugin"
)

// release returns the inputs of a release of the chart in testdata.
func release(t *testing.T, more map[string]any) map[string]any {
	t.Helper()
	chart, err := filepath.Abs("testdata/chart")
	require.NoError(t, err)
	fields := map[string]any{"name": "rel", "chart": chart, "skipAwait": true, "skipCrds": true}
	maps.Copy(fields, more)
	return fields
}

func values(fields map[string]any) map[string]any { return map[string]any{"values": fields} }

func newRelease(t *testing.T) (*world, *plugin.Resource) {
	t.Helper()
	w := newWorld(t)
	return w, w.resource("helm.sh/v3:Release", "rel")
}

func revision(r *plugin.Resource) int {
	value := get(r.State, "status", "revision")
	if !value.IsNumber() {
		return 0
	}
	return int(value.NumberValue())
}

var releaseCases = []testCase{
	{"a release is installed and its status stored", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, values(map[string]any{"greeting": "hi"}))))
		assert.Equal(t, w.namespace+"/rel", r.ID)
		assert.Equal(t, "deployed", text(r.State, "status", "status"))
		assert.Equal(t, "1.0.0", text(r.State, "status", "version"))
		assert.Equal(t, "9.9", text(r.State, "status", "appVersion"))
		assert.Equal(t, "demo", text(r.State, "status", "chart"))
		assert.Equal(t, w.namespace, text(r.State, "status", "namespace"))
		assert.Equal(t, 1, revision(r))
		assert.NotEmpty(t, get(r.State, "resourceNames", "ConfigMap/v1"))
		assert.Equal(t, "hi", w.mustGet(configMaps,
			"rel").Object["data"].(map[string]any)["greeting"])
	}},
	{"a release's record has the provider as its field manager", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, nil)))
		fields := w.mustGet(secrets, "sh.helm.release.v1.rel.v1").GetManagedFields()
		require.NotEmpty(t, fields)
		assert.Regexp(t, "^pulumi(-resource)?-kubernetes", fields[0].Manager,
			"actions/stack/adopt knows its own by it")
	}},
	{"the same release changes nothing", func(t *testing.T) {
		_, r := newRelease(t)
		inputs := props(
			release(t, values(map[string]any{"greeting": "hi",
				"nested": map[string]any{"list": []any{"a", 1}}})),
		)
		up(t, r, plugin.Create, inputs)
		up(t, r, plugin.Same, inputs)
		require.NoError(t, r.Refresh(t.Context()))
		up(t, r, plugin.Same, inputs)
		assert.Equal(t, 1, revision(r))
	}},
	{"changed values upgrade the release", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, values(map[string]any{"greeting": "one"}))))
		two := props(release(t, values(map[string]any{"greeting": "two"})))
		diff, err := r.Diff(t.Context(), mustCheck(t, r, two))
		require.NoError(t, err)
		assert.Equal(t, []string{"values"}, diff.GetDiffs())
		assert.Contains(t, diff.GetDetailedDiff(), "values.greeting")
		up(t, r, plugin.Update, two)
		assert.Equal(t, 2, revision(r))
		assert.Equal(t, "two", w.mustGet(configMaps,
			"rel").Object["data"].(map[string]any)["greeting"])
	}},
	{"a value that leaves the inputs falls back to the chart's", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t,
			values(map[string]any{"greeting": "one", "other": "1"}))))
		up(t, r, plugin.Update, props(release(t, values(map[string]any{"other": "1"}))))
		assert.Equal(t, "hello", w.mustGet(configMaps,
			"rel").Object["data"].(map[string]any)["greeting"])
	}},
	// Pulumi's SDK drops null values, but passes empty ones.
	{"an empty list takes the place of the chart's", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, values(map[string]any{"list": []any{}}))))
		assert.Empty(t, w.mustGet(configMaps, "rel").Object["data"].(map[string]any)["list"])
		up(t, r, plugin.Same, props(release(t, values(map[string]any{"list": []any{}}))))
		up(t, r, plugin.Update, props(release(t, values(map[string]any{"greeting": "hi"}))))
		assert.Equal(t, "chart", w.mustGet(configMaps,
			"rel").Object["data"].(map[string]any)["list"])
	}},
	// Helm treats an upgrade without values as a request to keep the values.
	{"values that leave the inputs altogether stay in force", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, values(map[string]any{"greeting": "one"}))))
		up(t, r, plugin.Update, props(release(t, nil)))
		assert.Equal(t, "one", w.mustGet(configMaps,
			"rel").Object["data"].(map[string]any)["greeting"])
	}},
	{"a changed name installs the new release before it uninstalls the old", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, nil)))
		up(t, r, plugin.Replace, props(release(t, map[string]any{"name": "other"})))
		w.mustGet(configMaps, "other")
		_, err := w.get(configMaps, "rel")
		assert.True(t, apierrors.IsNotFound(err))
	}},
	{"delete uninstalls the release", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, nil)))
		require.NoError(t, r.Delete(t.Context()))
		_, err := w.get(configMaps, "rel")
		assert.True(t, apierrors.IsNotFound(err))
		_, err = w.get(secrets, "sh.helm.release.v1.rel.v1")
		assert.True(t, apierrors.IsNotFound(err))
	}},
	{"a chart's definitions are installed unless skipCrds is set", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, map[string]any{"skipCrds": false})))
		_, err := w.client.Resource(definitions).Get(t.Context(), "gadgets.demo.example",
			metav1.GetOptions{})
		require.NoError(t, err)
		gadget := w.resource("demo.example/v1:Gadget", "g")
		up(t, gadget, plugin.Create, props(map[string]any{
			"apiVersion": "demo.example/v1", "kind": "Gadget", "metadata": meta("g", nil),
		}))
	}},
	// A release whose state predates skipCrds is updated in place. The CRDs that Helm installed
	// stay.
	{"skipCrds that comes later is an update and deletes no definition", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, map[string]any{"skipCrds": false})))
		later := props(release(t, nil))
		diff, err := r.Diff(t.Context(), mustCheck(t, r, later))
		require.NoError(t, err)
		assert.Equal(t, []string{"skipCrds"}, diff.GetDiffs())
		assert.Empty(t, diff.GetReplaces())
		up(t, r, plugin.Update, later)
		_, err = w.client.Resource(definitions).Get(t.Context(), "gadgets.demo.example",
			metav1.GetOptions{})
		require.NoError(t, err)
		require.NoError(t, r.Delete(t.Context()))
		_, err = w.client.Resource(definitions).Get(t.Context(), "gadgets.demo.example",
			metav1.GetOptions{})
		require.NoError(t, err, "that is why a release has to skip them")
	}},
	{"a release waits with a timeout of 300 s unless skipAwait is set", func(t *testing.T) {
		_, r := newRelease(t)
		checked := mustCheck(t, r, props(release(t, map[string]any{"skipAwait": false})))
		assert.InDelta(t, 300, get(checked, "timeout").NumberValue(), 0)
		assert.Equal(t, "1.0.0", text(checked, "version"))
		assert.InDelta(t, 0, get(mustCheck(t, r, props(release(t, nil))),
			"timeout").NumberValue(), 0)
	}},
	{"inputs say every default", func(t *testing.T) {
		_, r := newRelease(t)
		inputs := release(t, nil)
		up(t, r, plugin.Create, props(inputs))
		for _, key := range []string{"atomic", "lint", "postrender", "values", "waitForJobs"} {
			assert.False(t, get(r.Inputs, key).IsNull(), key)
			assert.False(t, get(r.State, key).IsNull(), key)
		}
		inputs["atomic"], inputs["description"] = false, ""
		up(t, r, plugin.Same, props(inputs))
	}},
	{"secret values stay secret in the state", func(t *testing.T) {
		_, r := newRelease(t)
		inputs := props(release(t, nil))
		inputs["values"] = secretMap("greeting", "hidden")
		up(t, r, plugin.Create, inputs)
		assert.True(t, isSecret(r.State, "values", "greeting"))
		assert.True(t, isSecret(r.State, "__inputs"))
		up(t, r, plugin.Same, inputs)
	}},
	{"a preview of a release leaves the status unknown and installs nothing", func(t *testing.T) {
		w, r := newRelease(t)
		_, state, err := r.Preview(t.Context(), props(release(t, nil)))
		require.NoError(t, err)
		assert.True(t, isUnknown(state, "status"))
		_, err = w.get(configMaps, "rel")
		assert.True(t, apierrors.IsNotFound(err))
		inputs := props(release(t, nil))
		inputs["values"] = resource.NewObjectProperty(resource.PropertyMap{"greeting": unknown()})
		_, state, err = r.Preview(t.Context(), inputs)
		require.NoError(t, err)
		assert.True(t, isUnknown(state, "values", "greeting"))
	}},
	{"a refresh drops a release that is gone", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, nil)))
		w.remove(secrets, "sh.helm.release.v1.rel.v1")
		require.NoError(t, r.Refresh(t.Context()))
		assert.Empty(t, r.ID)
	}},
	{"a refresh shows values that others released, and the next update mends them",
		func(t *testing.T) {
			w, r := newRelease(t)
			inputs := props(release(t, values(map[string]any{"greeting": "ours"})))
			up(t, r, plugin.Create, inputs)
			w.record("sh.helm.release.v1.rel.v1", `"config":{"greeting":"ours"`,
				`"config":{"greeting":"theirs"`)
			up(t, r, plugin.Same, inputs)
			require.NoError(t, r.Refresh(t.Context()))
			assert.Equal(t, "theirs", text(r.State, "values", "greeting"))
			up(t, r, plugin.Update, inputs)
		}},
	{"what others change in the cluster does not show", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, nil)))
		w.patch(configMaps, "rel", `{"data":{"greeting":"drifted"}}`)
		require.NoError(t, r.Refresh(t.Context()))
		up(t, r, plugin.Same, props(release(t, nil)))
	}},
}
