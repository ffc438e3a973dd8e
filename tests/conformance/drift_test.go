package conformance_test

import (
	"encoding/json"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"strata/actions/stack/drift"
	"strata/health"
	"strata/health/rollout"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
	"strata/tests/conformance/internal/plugin"
)

// described returns the inputs of a release whose description has the reason for its update.
func described(t *testing.T, reason string) map[string]any {
	t.Helper()
	return release(t, map[string]any{"description": reason,
		"values": map[string]any{"greeting": "hi"}})
}

// driftCases have objects and releases that others have changed since the last update. They test
// the program's hook before an update (actions/stack/drift), followed by the provider's update.
var driftCases = []testCase{
	{"a changed description alone upgrades the release", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(described(t, "")))
		news := props(described(t, "a Secret is missing"))
		diff, err := r.Diff(t.Context(), mustCheck(t, r, news))
		require.NoError(t, err)
		assert.Equal(t, []string{"description"}, diff.GetDiffs())
		assert.Empty(t, diff.GetReplaces())
		up(t, r, plugin.Update, news)
		assert.Equal(t, 2, revision(r))
		assert.Contains(t, w.body("sh.helm.release.v1.rel.v2"), "a Secret is missing")
		up(t, r, plugin.Same, news)
		require.NoError(t, r.Refresh(t.Context()))
		up(t, r, plugin.Same, news)
	}},
	{"an upgrade for a changed description creates an object that is gone",
		func(t *testing.T) {
			w, r := newRelease(t)
			up(t, r, plugin.Create, props(described(t, "")))
			w.remove(configMaps, "rel")
			up(t, r, plugin.Update, props(described(t, "once")))
			w.mustGet(configMaps, "rel")
		}},
	{"a release without records is upgraded from the record that drift writes",
		func(t *testing.T) {
			w, r := newRelease(t)
			up(t, r, plugin.Create, props(described(t, "")))
			require.NoError(t, stateless(r).Delete(t.Context()))
			_, err := w.get(configMaps, "rel")
			require.True(t, apierrors.IsNotFound(err))
			w.putBack(r, "Release/"+w.namespace+"/rel: missing")
			up(t, r, plugin.Update, props(described(t, "uninstalled")))
			w.mustGet(configMaps, "rel")
			assert.Equal(t, "demo", text(r.State, "status", "chart"))
			assert.Equal(t, "deployed", text(r.State, "status", "status"))
			assert.Equal(t, "1.0.0", text(r.State, "status", "version"))
			assert.Equal(t, 2, revision(r))
			require.NoError(t, r.Delete(t.Context()))
			_, err = w.get(configMaps, "rel")
			assert.True(t, apierrors.IsNotFound(err))
		}},
	{"a release without records is upgraded from that record if its objects are there",
		func(t *testing.T) {
			w, r := newRelease(t)
			up(t, r, plugin.Create, props(described(t, "")))
			w.remove(secrets, "sh.helm.release.v1.rel.v1")
			before := w.mustGet(configMaps, "rel").GetUID()
			w.putBack(r, "Release/"+w.namespace+"/rel: missing")
			require.NoError(t, stateless(r).Delete(t.Context()), "it can also be deleted")
			w.putBack(r, "Release/"+w.namespace+"/rel: missing")
			up(t, r, plugin.Update, props(described(t, "record lost")))
			assert.Equal(t, before, w.mustGet(configMaps, "rel").GetUID())
			require.NoError(t, r.Delete(t.Context()))
			_, err := w.get(configMaps, "rel")
			assert.True(t, apierrors.IsNotFound(err))
		}},
	{"a release without records fails its upgrade and its delete without that",
		func(t *testing.T) {
			w, r := newRelease(t)
			up(t, r, plugin.Create, props(described(t, "")))
			w.remove(secrets, "sh.helm.release.v1.rel.v1")
			err := fails(t, r, plugin.Update, props(described(t, "record lost")))
			require.ErrorContains(t, err, "has no deployed releases")
			require.ErrorContains(t, r.Delete(t.Context()), "release: not found")
		}},
	{"a release whose upgrade was killed is upgraded for a changed description, after both hooks",
		func(t *testing.T) {
			w, r := newRelease(t)
			up(t, r, plugin.Create, props(described(t, "")))
			w.pending("sh.helm.release.v1.rel.v1", "deployed", "pending-upgrade")
			w.putBack(r, "Release/"+w.namespace+"/rel: changed (its status is pending-upgrade)")
			require.NoError(t, w.adopter().BeforeChange(t.Context(), string(r.URN.Type()), true,
				map[string]any{"name": "rel", "namespace": w.namespace}))
			up(t, r, plugin.Update, props(described(t, "upgrade killed")))
			assert.Equal(t, "deployed", text(r.State, "status", "status"))
			assert.Equal(t, 2, revision(r))
		}},
	{"a release that is deleted before it is replaced is there afterwards", func(t *testing.T) {
		w, r := newRelease(t)
		r.ReplaceOnChanges, r.DeleteFirst = []string{"description"}, true
		up(t, r, plugin.Create, props(described(t, "")))
		up(t, r, plugin.DeleteReplace, props(described(t, "replaced")))
		w.mustGet(configMaps, "rel")
		assert.Equal(t, 1, revision(r))
		up(t, r, plugin.Same, props(described(t, "replaced")))
	}},
	{"a release that is not deleted before it is replaced fails, or is gone afterwards",
		func(t *testing.T) {
			w, r := newRelease(t)
			r.ReplaceOnChanges = []string{"description"}
			up(t, r, plugin.Create, props(described(t, "")))
			err := fails(t, stateless(r), plugin.Replace, props(described(t, "replaced")))
			require.ErrorContains(t, err, "cannot re-use a name that is still in use")
			w.remove(secrets, "sh.helm.release.v1.rel.v1")
			up(t, r, plugin.Replace, props(described(t, "replaced")))
			_, err = w.get(configMaps, "rel")
			assert.True(t, apierrors.IsNotFound(err))
		}},
	{"an object that is gone fails its update and the preview, until the hook has created it",
		func(t *testing.T) {
			w := newWorld(t, upserting)
			r := w.resource("core/v1:ConfigMap", "cm")
			up(t, r, plugin.Create, labelled("cm", map[string]any{"a": "1"}))
			w.remove(configMaps, "cm")
			news := returned("a ConfigMap is missing")
			_, _, err := stateless(r).Preview(t.Context(), news)
			require.Error(t, err)
			fails(t, stateless(r), plugin.Update, news)
			w.putBack(r, "ConfigMap/"+w.namespace+"/cm: missing")
			up(t, r, plugin.Update, news)
			assert.Equal(t, "1", w.mustGet(configMaps, "cm").GetLabels()["a"])
			up(t, r, plugin.Same, news)
		}},
	{"a field that others changed fails the update and the preview, until the hook has mended it",
		func(t *testing.T) {
			w := newWorld(t, upserting)
			r := w.resource("core/v1:ConfigMap", "cm")
			up(t, r, plugin.Create, labelled("cm", map[string]any{"a": "1"}))
			w.patch(configMaps, "cm", `{"metadata":{"labels":{"a":"theirs"}}}`)
			news := returned("a label differs")
			_, _, err := stateless(r).Preview(t.Context(), news)
			require.ErrorContains(t, err, "conflict")
			require.ErrorContains(t, fails(t, stateless(r), plugin.Update, news), "conflict")
			w.putBack(r, "ConfigMap/"+w.namespace+"/cm: changed metadata.labels.a")
			up(t, r, plugin.Update, news)
			assert.Equal(t, "1", w.mustGet(configMaps, "cm").GetLabels()["a"])
		}},
	{"a preview with an unknown annotation asks nothing of an object that is gone",
		func(t *testing.T) {
			w := newWorld(t, upserting)
			r := w.resource("core/v1:ConfigMap", "cm")
			up(t, r, plugin.Create, labelled("cm", map[string]any{"a": "1"}))
			w.remove(configMaps, "cm")
			news := returned("a ConfigMap is missing")
			annotations := news["metadata"].ObjectValue()["annotations"].ObjectValue()
			annotations[drift.AnnotationTime] = unknown()
			op, _, err := r.Preview(t.Context(), news)
			require.NoError(t, err)
			assert.Equal(t, plugin.Update, op)
		}},
}

// returned returns the inputs of a ConfigMap with the reason for its update.
func returned(reason string) resource.PropertyMap {
	fields := configMap("cm", map[string]any{"k": "v"}, map[string]any{
		drift.Annotation: reason, drift.AnnotationTime: "2026-11-28T12:00:00Z"})
	fields["metadata"].(map[string]any)["labels"] = map[string]any{"a": "1"}
	return props(fields)
}

// stateless returns a copy of a resource, on which operations do not change the resource.
func stateless(r *plugin.Resource) *plugin.Resource {
	scratch := *r
	return &scratch
}

// putBack compares the cluster with a state that has the resource, and runs the program's hook,
// which restores the object. want is the text of the only difference.
func (w *world) putBack(r *plugin.Resource, want string) {
	w.t.Helper()
	gate, err := json.Marshal(health.Spec{Gate: "gate", Existing: true, Body: rollout.Spec{}})
	require.NoError(w.t, err)
	kubeconfig := read(w.t, controlPlane(w.t).Kubeconfig)
	state := &stackstate.State{Resources: []stackstate.Resource{
		{ResourceV3: apitype.ResourceV3{Type: stackstate.LocalCommand, URN: r.URN,
			Inputs: map[string]any{"create": "strata gate", "stdin": string(gate),
				"environment": map[string]any{self.Kubeconfig: kubeconfig}}}},
		{ResourceV3: apitype.ResourceV3{Type: r.URN.Type(), URN: r.URN,
			Inputs: reveal(r.Inputs).Mappable(), Outputs: reveal(r.State).Mappable()}},
	}}
	report, closes, err := drift.Find(w.t.Context(), state, nil)
	require.NoError(w.t, err)
	defer closes()
	require.Empty(w.t, report.Unanswered)
	require.Len(w.t, report.Differences, 1)
	require.Contains(w.t, report.Differences[0].String(), want)
	require.NoError(w.t, report.RecordReleases(w.t.Context()))
	require.NoError(w.t, report.PutBack(w.t.Context(), r.URN.Name()))
}
