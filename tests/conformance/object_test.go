package conformance_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"strata/tests/conformance/internal/plugin"
)

var objectCases = []testCase{
	{"create stores the live object under NAMESPACE/NAME", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, props(configMap("cm", map[string]any{"k": "v"}, nil)))
		assert.Equal(t, w.namespace+"/cm", r.ID)
		assert.NotEmpty(t, text(r.State, "metadata", "uid"))
		assert.Equal(t, "v", text(r.State, "__inputs", "data", "k"))
		assert.NotEmpty(t, text(r.State, "__fieldManager"))
		w.mustGet(configMaps, "cm")
	}},
	{"the same inputs change nothing in the cluster", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		inputs := props(configMap("cm", map[string]any{"k": "v"}, nil))
		up(t, r, plugin.Create, inputs)
		up(t, r, plugin.Same, inputs)
	}},
	{"a cluster-scoped object has no namespace", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Namespace", "ns")
		name := unique("made")
		up(t, r, plugin.Create,
			props(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": meta(name, nil)}))
		assert.Equal(t, name, r.ID)
		require.NoError(t, r.Delete(t.Context()))
	}},
	{"an update applies the change and keeps the object", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, labelled("cm", map[string]any{"a": "1"}))
		uid := text(r.State, "metadata", "uid")
		up(t, r, plugin.Update, labelled("cm", map[string]any{"a": "2"}))
		assert.Equal(t, uid, text(r.State, "metadata", "uid"))
		assert.Equal(t, "2", w.mustGet(configMaps, "cm").GetLabels()["a"])
	}},
	{"what leaves the inputs leaves the object, and what others added stays", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, labelled("cm", map[string]any{"a": "1", "b": "1"}))
		w.patch(configMaps, "cm", `{"metadata":{"labels":{"theirs":"1"}}}`)
		up(t, r, plugin.Update, labelled("cm", map[string]any{"a": "1"}))
		assert.Equal(t, map[string]string{"a": "1", "theirs": "1"}, w.mustGet(configMaps, "cm").GetLabels())
	}},
	{"an update that another manager's field refuses names the conflict", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, labelled("cm", map[string]any{"a": "1"}))
		up(t, r, plugin.Update, labelled("cm", map[string]any{"a": "2"}))
		force := true
		_, err := w.client.Resource(configMaps).Namespace(w.namespace).Patch(t.Context(), "cm", types.ApplyPatchType,
			[]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm","labels":{"a":"theirs"}}}`),
			metav1.PatchOptions{FieldManager: "them", Force: &force})
		require.NoError(t, err)
		err = fails(t, r, plugin.Update, labelled("cm", map[string]any{"a": "3"}))
		assert.ErrorContains(t, err, "apply conflict")
		assert.ErrorContains(t, err, `"them"`)
	}},
	{"what a person has changed by kubectl an update takes over, with all that it has added", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, labelled("cm", map[string]any{"a": "1"}))
		for _, manager := range []string{"kubectl-patch", "kubectl-edit", "kubectl-label"} {
			_, err := w.client.Resource(configMaps).Namespace(w.namespace).
				Patch(t.Context(), "cm", types.MergePatchType,
					[]byte(`{"metadata":{"labels":{"a":"by-`+manager+`","team":"b"}}}`),
					metav1.PatchOptions{FieldManager: manager})
			require.NoError(t, err)
			up(t, r, plugin.Update, labelled("cm", map[string]any{"a": "after-" + manager}))
			assert.Equal(t, map[string]string{"a": "after-" + manager}, w.mustGet(configMaps, "cm").GetLabels())
		}
	}},
	{"an object that exists already is not taken over", func(t *testing.T) {
		w := newWorld(t)
		w.create(configMaps, object("v1", "ConfigMap", "cm", nil))
		r := w.resource("core/v1:ConfigMap", "cm")
		err := fails(t, r, plugin.Create, props(configMap("cm", map[string]any{"k": "v"}, nil)))
		assert.ErrorContains(t, err, "was not successfully created by the Kubernetes API server")
		assert.ErrorContains(t, err, "already exists")
		assert.Empty(t, r.ID)
	}},
	{"PULUMI_K8S_UPSERT_EXISTING_OBJECTS takes over an object that exists", func(t *testing.T) {
		w := newWorld(t, "PULUMI_K8S_UPSERT_EXISTING_OBJECTS=true")
		w.create(configMaps, object("v1", "ConfigMap", "cm", nil))
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, props(configMap("cm", map[string]any{"k": "v"}, nil)))
		assert.Equal(t, "v", text(r.State, "data", "k"))
	}},
	{"changed data of a named ConfigMap deletes it before the replacement", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, props(configMap("cm", map[string]any{"k": "v"}, nil)))
		uid := text(r.State, "metadata", "uid")
		up(t, r, plugin.DeleteReplace, props(configMap("cm", map[string]any{"k": "w"}, nil)))
		assert.NotEqual(t, uid, text(r.State, "metadata", "uid"))
	}},
	{"a changed name creates the new object before it deletes the old", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, props(configMap("one", map[string]any{"k": "v"}, nil)))
		up(t, r, plugin.Replace, props(configMap("two", map[string]any{"k": "v"}, nil)))
		w.mustGet(configMaps, "two")
		_, err := w.get(configMaps, "one")
		assert.True(t, apierrors.IsNotFound(err))
	}},
	{"ignored changes change nothing", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, labelled("cm", map[string]any{"a": "1"}))
		r.IgnoreChanges = []string{"metadata.labels"}
		up(t, r, plugin.Same, labelled("cm", map[string]any{"a": "2"}))
	}},
	{"an object that the server refuses is not stored", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		err := fails(t, r, plugin.Create, props(configMap("Not_A_Name", nil, nil)))
		assert.ErrorContains(t, err, "was not successfully created")
		assert.Empty(t, r.ID)
	}},
	{"a namespace that comes a moment later is waited for", func(t *testing.T) {
		w := newWorld(t)
		late := unique("late")
		w.afterFailure(func() {
			_, _ = w.client.Resource(namespaces).
				Create(t.Context(), object("v1", "Namespace", late, nil), metav1.CreateOptions{})
		})
		r := w.resource("core/v1:ConfigMap", "cm")
		inputs := configMap("cm", map[string]any{"k": "v"}, nil)
		inputs["metadata"].(map[string]any)["namespace"] = late
		up(t, r, plugin.Create, props(inputs))
		assert.Contains(t, w.plugin.Log(), "creation failed")
	}},
	{"a secret value stays secret, also where the server encodes it", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Secret", "s")
		inputs := props(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": meta("s", nil)})
		inputs["stringData"] = resource.NewObjectProperty(resource.PropertyMap{"password": secret("hidden")})
		up(t, r, plugin.Create, inputs)
		assert.True(t, isSecret(r.State, "data", "password"))
		assert.Equal(t, "aGlkZGVu", text(r.State, "data", "password"))
		up(t, r, plugin.Same, inputs)
	}},
	{"the data of a Secret is secret in any case", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Secret", "s")
		up(t, r, plugin.Create, props(map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": meta("s", nil), "stringData": map[string]any{"k": "v"},
		}))
		assert.True(t, isSecret(r.State, "data"))
		assert.True(t, isSecret(r.Inputs, "data"))
	}},
	{"a secret item makes the whole list secret", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("rbac.authorization.k8s.io/v1:Role", "role")
		inputs := props(map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": meta("role", nil),
			"rules": []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": []any{"get"}}},
		})
		inputs["rules"].ArrayValue()[0].ObjectValue()["verbs"].ArrayValue()[0] = secret("list")
		up(t, r, plugin.Create, inputs)
		assert.True(t, isSecret(r.State, "rules"))
		up(t, r, plugin.Same, inputs)
	}},
	{"a difference is named by its path", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, labelled("cm", map[string]any{"a-b": "1", "x.y/z": "1"}))
		diff, err := r.Diff(t.Context(), mustCheck(t, r, labelled("cm", map[string]any{"a-b": "2"})))
		require.NoError(t, err)
		paths := diff.GetDetailedDiff()
		assert.Len(t, paths, 2)
		assert.Equal(t, pulumirpc.PropertyDiff_UPDATE, paths["metadata.labels.a-b"].GetKind())
		assert.Equal(t, pulumirpc.PropertyDiff_DELETE, paths[`metadata.labels["x.y/z"]`].GetKind())
		assert.True(t, paths[`metadata.labels["x.y/z"]`].GetInputDiff())
	}},
	{"delete waits until the object is gone", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		fields := configMap("cm", map[string]any{"k": "v"}, nil)
		fields["metadata"].(map[string]any)["finalizers"] = []any{"conformance.example/hold"}
		up(t, r, plugin.Create, props(fields))
		freed := later(func() { w.patch(configMaps, "cm", `{"metadata":{"finalizers":null}}`) })
		defer freed.wait()
		require.NoError(t, r.Delete(t.Context()))
		freed.cameFirst(t)
		_, err := w.get(configMaps, "cm")
		assert.True(t, apierrors.IsNotFound(err))
	}},
	{"a delete that takes too long keeps the resource and names the finalizers", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		fields := configMap("cm", map[string]any{"k": "v"}, nil)
		fields["metadata"].(map[string]any)["finalizers"] = []any{"conformance.example/hold"}
		up(t, r, plugin.Create, props(fields))
		r.Timeout = 2
		err := r.Delete(t.Context())
		require.ErrorContains(t, err, "timed out waiting for the condition")
		assert.NotEmpty(t, r.ID)
		assert.Contains(t, w.plugin.Log(), "finalizers might be preventing deletion")
		w.patch(configMaps, "cm", `{"metadata":{"finalizers":null}}`)
	}},
	{"delete of an object that is gone succeeds", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, props(configMap("cm", map[string]any{"k": "v"}, nil)))
		w.remove(configMaps, "cm")
		require.NoError(t, r.Delete(t.Context()))
	}},
	{"delete of a namespace waits for what is in it", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Namespace", "ns")
		name := unique("full")
		up(t, r, plugin.Create,
			props(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": meta(name, nil)}))
		inside := object("v1", "ConfigMap", "inside", nil)
		_, err := w.client.Resource(configMaps).Namespace(name).Create(t.Context(), inside, metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, r.Delete(t.Context()))
		_, err = w.client.Resource(namespaces).Get(t.Context(), name, metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err))
	}},
}
