package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/conformance/internal/plugin"
)

var definitionCases = []testCase{
	{"a custom resource right after its definition is created", func(t *testing.T) {
		w := newWorld(t)
		definition, token, kind := w.widgets()
		crd := w.resource("apiextensions.k8s.io/v1:CustomResourceDefinition", "crd")
		up(t, crd, plugin.Create, props(definition))
		r := w.resource(token, "w")
		up(t, r, plugin.Create, props(widget(kind.Group+"/v1", "w", nil)))
		up(t, crd, plugin.Same, props(definition))
		w.mustGet(kind, "w")
	}},
	{"a definition that comes a moment later is waited for", func(t *testing.T) {
		w := newWorld(t)
		definition, token, kind := w.widgets()
		w.afterFailure(func() {
			_, _ = w.client.Resource(definitions).Create(t.Context(),
				&unstructured.Unstructured{Object: definition}, metav1.CreateOptions{})
		})
		up(t, w.resource(token, "w"), plugin.Create, props(widget(kind.Group+"/v1", "w", nil)))
		assert.Contains(t, w.plugin.Log(), "creation failed")
	}},
	{"a definition waits for Established if told so", func(t *testing.T) {
		w := newWorld(t)
		definition, _, _ := w.widgets()
		definition["metadata"].(map[string]any)["annotations"] = map[string]any{
			"pulumi.com/waitFor": "condition=Established",
		}
		crd := w.resource("apiextensions.k8s.io/v1:CustomResourceDefinition", "crd")
		up(t, crd, plugin.Create, props(definition))
		assert.NotEmpty(t, get(crd.State, "status", "conditions"))
	}},
	{"a changed definition is replaced in place", func(t *testing.T) {
		w := newWorld(t)
		definition, _, _ := w.widgets()
		// The plugin sends the whole object with the resourceVersion that it has read. If a
		// controller writes the CRD's status in between, there is a conflict, which the plugin does
		// not retry (updateResource in provider/pkg/await/await.go). Once the CRD is Established,
		// no controller writes.
		definition["metadata"].(map[string]any)["annotations"] = map[string]any{
			"pulumi.com/waitFor": "condition=Established",
		}
		crd := w.resource("apiextensions.k8s.io/v1:CustomResourceDefinition", "crd")
		up(t, crd, plugin.Create, props(definition))
		uid := text(crd.State, "metadata", "uid")
		definition["metadata"].(map[string]any)["labels"] = map[string]any{"a": "1"}
		up(t, crd, plugin.Update, props(definition))
		assert.Equal(t, uid, text(crd.State, "metadata", "uid"))
	}},
	{"a custom resource whose kind is gone is deleted", func(t *testing.T) {
		w := newWorld(t)
		token, version, kind := w.established()
		r := w.resource(token, "w")
		up(t, r, plugin.Create, props(widget(version, "w", nil)))
		err := w.client.Resource(definitions).Delete(t.Context(), "widgets."+kind.Group,
			metav1.DeleteOptions{})
		require.NoError(t, err)
		eventually(t, func() bool {
			_, err := w.client.Resource(definitions).Get(t.Context(), "widgets."+kind.Group,
				metav1.GetOptions{})
			return err != nil
		})
		require.NoError(t, r.Delete(t.Context()))
	}},
}
