package conformance_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"strata/tests/conformance/internal/control"
	"strata/tests/conformance/internal/plugin"
)

var plane struct {
	once    sync.Once
	running *control.Plane
	err     error
}

// controlPlane starts one control plane for the whole test run.
func controlPlane(t *testing.T) *control.Plane {
	t.Helper()
	plane.once.Do(func() {
		var dir, binary string
		if dir, plane.err = binaries.subfolder("plane"); plane.err != nil {
			return
		}
		binary, plane.err = plugin.Build(context.Background(), "controlplane",
			filepath.Join(dir, "..", "controlplane"))
		if plane.err == nil {
			plane.running, plane.err = control.Start(context.Background(), binary, dir)
		}
	})
	require.NoError(t, plane.err)
	return plane.running
}

func stopControlPlane() {
	if plane.running != nil {
		plane.running.Stop()
	}
}

// world has the plugin, the namespace and the client of one case.
type world struct {
	t         *testing.T
	plugin    *plugin.Plugin
	namespace string
	client    dynamic.Interface
}

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secrets     = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	endpoints   = schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}
	definitions = schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	}
)

func newWorld(t *testing.T, environment ...string) *world {
	t.Helper()
	kubeconfig := controlPlane(t).Kubeconfig
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	config.QPS, config.Burst = 100, 200
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	w := &world{t: t, client: client, namespace: unique("case")}
	_, err = client.Resource(namespaces).
		Create(t.Context(), object("v1", "Namespace", w.namespace, nil), metav1.CreateOptions{})
	require.NoError(t, err)
	w.plugin = start(
		t,
		"kubernetes",
		map[string]any{"kubeconfig": read(t, kubeconfig), "namespace": w.namespace},
		environment...)
	return w
}

func unique(prefix string) string {
	random := make([]byte, 4)
	_, _ = rand.Read(random)
	return prefix + "-" + hex.EncodeToString(random)
}

func object(version, kind, name string, more map[string]any) *unstructured.Unstructured {
	fields := map[string]any{"apiVersion": version, "kind": kind,
		"metadata": map[string]any{"name": name}}
	maps.Copy(fields, more)
	return &unstructured.Unstructured{Object: fields}
}

// resource returns a resource with a type token. Its object does not exist yet.
func (w *world) resource(token, name string) *plugin.Resource {
	return plugin.New(w.plugin, "kubernetes:"+token, name)
}

func (w *world) get(
	kind schema.GroupVersionResource, name string,
) (*unstructured.Unstructured, error) {
	return w.client.Resource(kind).Namespace(w.namespace).Get(w.t.Context(), name,
		metav1.GetOptions{})
}

func (w *world) mustGet(kind schema.GroupVersionResource, name string) *unstructured.Unstructured {
	w.t.Helper()
	obj, err := w.get(kind, name)
	require.NoError(w.t, err)
	return obj
}

func (w *world) create(kind schema.GroupVersionResource, obj *unstructured.Unstructured) {
	w.t.Helper()
	_, err := w.client.Resource(kind).Namespace(w.namespace).Create(w.t.Context(), obj,
		metav1.CreateOptions{})
	require.NoError(w.t, err)
}

// remove deletes an object.
func (w *world) remove(kind schema.GroupVersionResource, name string) {
	w.t.Helper()
	require.NoError(w.t, w.client.Resource(kind).Namespace(w.namespace).Delete(w.t.Context(), name,
		metav1.DeleteOptions{}))
}

// pendingAddresses returns the number of a Service's addresses whose Pods are not ready.
func (w *world) pendingAddresses(service string) (n int) {
	w.t.Helper()
	found, err := w.get(endpoints, service)
	if err != nil {
		return 0
	}
	subsets, _, _ := unstructured.NestedSlice(found.Object, "subsets")
	for _, subset := range subsets {
		pending, _, _ := unstructured.NestedSlice(subset.(map[string]any), "notReadyAddresses")
		n += len(pending)
	}
	return n
}

// patch waits until an object exists, and merges JSON into the object or its subresource.
func (w *world) patch(kind schema.GroupVersionResource, name, body string, subresources ...string) {
	w.t.Helper()
	var err error
	eventually(w.t, func() bool {
		_, err = w.client.Resource(kind).Namespace(w.namespace).Patch(
			w.t.Context(), name, types.MergePatchType, []byte(body), metav1.PatchOptions{},
			subresources...)
		return !apierrors.IsNotFound(err)
	})
	require.NoError(w.t, err)
}

func meta(name string, annotations map[string]any) map[string]any {
	fields := map[string]any{"name": name}
	if annotations != nil {
		fields["annotations"] = annotations
	}
	return fields
}

func configMap(name string, data, annotations map[string]any) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": meta(name, annotations), "data": data}
}

func labelled(name string, labels map[string]any) resource.PropertyMap {
	fields := configMap(name, map[string]any{"k": "v"}, nil)
	fields["metadata"].(map[string]any)["labels"] = labels
	return props(fields)
}

const widgetKind = "Widget"

// widgets creates a CRD for the case. It returns the CRD's inputs, and the type token and the
// resource of its kind.
func (w *world) widgets() (definition map[string]any, token string,
	kind schema.GroupVersionResource) {
	group := unique("w") + ".example"
	definition = map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": meta("widgets."+group, nil),
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{
				"kind":     widgetKind,
				"plural":   "widgets",
				"singular": "widget",
				"listKind": "WidgetList",
			},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "x-kubernetes-preserve-unknown-fields": true,
				}},
			}},
		},
	}
	return definition, fmt.Sprintf("%s/v1:%s", group, widgetKind),
		schema.GroupVersionResource{Group: group, Version: "v1", Resource: "widgets"}
}

// established creates a CRD, with a schema if one is given, and waits until it is Established.
func (w *world) established(properties ...map[string]any) (token, version string,
	kind schema.GroupVersionResource) {
	w.t.Helper()
	definition, token, kind := w.widgets()
	for _, one := range properties {
		served := definition["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
		served["schema"] = map[string]any{"openAPIV3Schema": one}
	}
	_, err := w.client.Resource(definitions).Create(w.t.Context(),
		&unstructured.Unstructured{Object: definition}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	eventually(w.t, func() bool {
		_, err := w.client.Resource(kind).Namespace(w.namespace).List(w.t.Context(),
			metav1.ListOptions{})
		return err == nil
	})
	return token, kind.Group + "/v1", kind
}

func widget(version, name string, annotations map[string]any) map[string]any {
	return map[string]any{"apiVersion": version, "kind": widgetKind,
		"metadata": meta(name, annotations)}
}
