package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/actions/stack/adopt"
	"strata/tests/conformance/internal/plugin"
)

// adoptCases have a state that lacks existing objects, as after a kill. They test the program's
// hook before a create (actions/stack/adopt), followed by the provider's create.
var adoptCases = []testCase{
	{"an object of the provider's own is no longer its own for a state that has forgotten it",
		func(t *testing.T) {
			w := newWorld(t, upserting)
			up(
				t,
				w.resource("core/v1:ConfigMap", "cm"),
				plugin.Create,
				props(configMap("cm", map[string]any{"k": "forgotten"}, nil)),
			)
			err := fails(
				t,
				w.resource("core/v1:ConfigMap", "again"),
				plugin.Create,
				props(configMap("cm", map[string]any{"k": "new"}, nil)),
			)
			assert.ErrorContains(t, err, "conflict",
				"as after a destroy that broke off and a password that is drawn again")
		}},
	{"it is taken over by the hook with other values, and can be changed from there",
		func(t *testing.T) {
			w := newWorld(t, upserting)
			token, version, kind := w.established()
			up(t, w.resource(token, "w"), plugin.Create, props(colored(version, "forgotten")))
			r := w.resource(token, "again")
			w.adopt("kubernetes:"+token, colored(version, "drawn again"))
			up(t, r, plugin.Create, props(colored(version, "drawn again")))
			up(t, r, plugin.Update, props(colored(version, "changed")))
			assert.Equal(t, map[string]any{"color": "changed"}, w.mustGet(kind, "w").Object["spec"])
		}},
	{"a list that the API server fills in is taken over by the hook", func(t *testing.T) {
		w := newWorld(t, upserting)
		token, version, kind := w.established(routed)
		inputs := func(parent string) map[string]any {
			fields := widget(version, "w", nil)
			fields["spec"] = map[string]any{"host": "a.test",
				"parents": []any{map[string]any{"name": parent}}}
			return fields
		}
		up(t, w.resource(token, "w"), plugin.Create, props(inputs("gateway")))
		require.Equal(t, "Gateway", parentOf(t, w.mustGet(kind, "w"))["kind"])
		err := fails(t, w.resource(token, "again"), plugin.Create, props(inputs("gateway")))
		assert.ErrorContains(t, err, "conflict",
			"the same inputs: what the API server has filled in is not in them")

		r := w.resource(token, "again")
		w.adopt("kubernetes:"+token, inputs("gateway"))
		up(t, r, plugin.Create, props(inputs("gateway")))
		up(t, r, plugin.Update, props(inputs("other")))
		assert.Equal(t, map[string]any{"name": "other", "kind": "Gateway"},
			parentOf(t, w.mustGet(kind, "w")))
	}},
}

// upserting is the variable with which the program lets the provider adopt objects.
const upserting = "PULUMI_K8S_UPSERT_EXISTING_OBJECTS=true"

// adopt runs the program's hook before the create of an object.
func (w *world) adopt(token string, inputs map[string]any) {
	w.t.Helper()
	inputs["metadata"].(map[string]any)["namespace"] = w.namespace
	require.NoError(w.t, w.adopter().BeforeChange(w.t.Context(), token, false, inputs))
}

// adopter returns the program's hook before a create, or before an update of a release.
func (w *world) adopter() *adopt.Cluster {
	w.t.Helper()
	cluster, err := adopt.NewCluster(read(w.t, controlPlane(w.t).Kubeconfig))
	require.NoError(w.t, err)
	return cluster
}

// routed is the schema of a kind with a list that server-side apply replaces as a whole. The list's
// items have a default, like an HTTPRoute's parentRefs and a Gateway's certificateRefs.
var routed = map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{
	"type": "object", "properties": map[string]any{
		"host": map[string]any{"type": "string"},
		"parents": map[string]any{
			"type": "array", "x-kubernetes-list-type": "atomic",
			"items": map[string]any{"type": "object", "properties": map[string]any{
				"name": map[string]any{"type": "string"},
				"kind": map[string]any{"type": "string", "default": "Gateway"},
			}},
		},
	},
}}}

func colored(version, color string) map[string]any {
	fields := widget(version, "w", nil)
	fields["spec"] = map[string]any{"color": color}
	return fields
}

func parentOf(t *testing.T, found *unstructured.Unstructured) map[string]any {
	t.Helper()
	parents, ok, err := unstructured.NestedSlice(found.Object, "spec", "parents")
	require.NoError(t, err)
	require.True(t, ok)
	return parents[0].(map[string]any)
}
