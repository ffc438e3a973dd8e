package conformance_test

import (
	"strconv"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/tests/conformance/internal/plugin"
	"strata/tests/nettest"
)

func mustCheck(t *testing.T, r *plugin.Resource, inputs resource.PropertyMap) resource.PropertyMap {
	t.Helper()
	checked, err := r.Check(t.Context(), inputs)
	require.NoError(t, err)
	return checked
}

func secretMap(key, value string) resource.PropertyValue {
	return resource.NewObjectProperty(resource.PropertyMap{
		resource.PropertyKey(key): secret(value)})
}

var previewCases = []testCase{
	{"a preview with known inputs asks the server and creates nothing", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Service", "svc")
		op, state, err := r.Preview(t.Context(), props(service("svc", nil)))
		require.NoError(t, err)
		assert.Equal(t, plugin.Create, op)
		// Only a preview by the API server knows this field.
		assert.Equal(t, "ClusterIP", text(state, "spec", "type"))
		_, err = w.get(services, "svc")
		assert.True(t, apierrors.IsNotFound(err))
	}},
	{"a preview with unknown inputs returns them as they are", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		inputs := props(configMap("cm", nil, nil))
		inputs["data"] = resource.NewObjectProperty(resource.PropertyMap{"k": unknown()})
		op, state, err := r.Preview(t.Context(), inputs)
		require.NoError(t, err)
		assert.Equal(t, plugin.Create, op)
		assert.True(t, isUnknown(state, "data", "k"))
		assert.Empty(t, text(state, "metadata", "uid"))
	}},
	{"a preview into a namespace that is not there yet succeeds", func(t *testing.T) {
		w := newWorld(t)
		inputs := configMap("cm", map[string]any{"k": "v"}, nil)
		inputs["metadata"].(map[string]any)["namespace"] = unique("later")
		_, state, err := w.resource("core/v1:ConfigMap", "cm").Preview(t.Context(), props(inputs))
		require.NoError(t, err)
		assert.Equal(t, "v", text(state, "data", "k"))
	}},
	{"a preview of a kind that is not there yet succeeds", func(t *testing.T) {
		w := newWorld(t)
		_, token, kind := w.widgets()
		_, _, err := w.resource(token, "w").Preview(t.Context(),
			props(widget(kind.Group+"/v1", "w", nil)))
		require.NoError(t, err)
	}},
	{"a preview of an update asks the server and changes nothing", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:ConfigMap", "cm")
		up(t, r, plugin.Create, labelled("cm", map[string]any{"a": "1"}))
		op, state, err := r.Preview(t.Context(), labelled("cm", map[string]any{"a": "2"}))
		require.NoError(t, err)
		assert.Equal(t, plugin.Update, op)
		assert.Equal(t, "2", text(state, "metadata", "labels", "a"))
		assert.Equal(t, "1", w.mustGet(configMaps, "cm").GetLabels()["a"])
	}},
	{"a preview calls admission webhooks and fails with one that is down", func(t *testing.T) {
		w := newWorld(t)
		w.brokenWebhook()
		_, _, err := w.resource("core/v1:ConfigMap", "cm").
			Preview(t.Context(), props(configMap("cm", map[string]any{"k": "v"}, nil)))
		require.ErrorContains(t, err, "failed calling webhook")
	}},
	{"a create fails at once with a webhook that is down", func(t *testing.T) {
		w := newWorld(t)
		w.brokenWebhook()
		r := w.resource("core/v1:ConfigMap", "cm")
		err := fails(t, r, plugin.Create, props(configMap("cm", map[string]any{"k": "v"}, nil)))
		assert.ErrorContains(t, err, "failed calling webhook")
		assert.Contains(t, w.plugin.Log(), "Retry #0; creation failed")
		assert.NotContains(t, w.plugin.Log(), "Retry #1")
		assert.Empty(t, r.ID)
	}},
	{"a preview does not read the waitFor annotation", func(t *testing.T) {
		w := newWorld(t)
		inputs := configMap("cm", map[string]any{"k": "v"},
			map[string]any{"pulumi.com/waitFor": "nonsense"})
		_, _, err := w.resource("core/v1:ConfigMap", "cm").Preview(t.Context(), props(inputs))
		require.NoError(t, err)
	}},
}

// brokenWebhook registers a webhook for the case's ConfigMaps, at which nothing listens.
func (w *world) brokenWebhook() {
	w.t.Helper()
	port := nettest.Closed(w.t).Number()
	kind := schema.GroupVersionResource{
		Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "validatingwebhookconfigurations",
	}
	hook := object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", w.namespace,
		map[string]any{
			"webhooks": []any{map[string]any{
				"name": "down.conformance.example", "sideEffects": "None",
				"admissionReviewVersions": []any{"v1"},
				"clientConfig": map[string]any{"url": "https://127.0.0.1:" +
					strconv.Itoa(port)},
				"namespaceSelector": map[string]any{
					"matchLabels": map[string]any{"kubernetes.io/metadata.name": w.namespace},
				},
				"rules": []any{map[string]any{
					"apiGroups": []any{""}, "apiVersions": []any{"v1"},
					"resources":  []any{"configmaps"},
					"operations": []any{"CREATE"},
				}},
			}},
		})
	_, err := w.client.Resource(kind).Create(w.t.Context(), hook, metav1.CreateOptions{})
	require.NoError(w.t, err)
	probe := object("v1", "ConfigMap", "probe", nil)
	eventually(w.t, func() bool {
		_, err := w.client.Resource(configMaps).Namespace(w.namespace).Create(w.t.Context(), probe,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil
	})
}
