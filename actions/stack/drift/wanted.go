package drift

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"strata/actions/stack/adopt"
)

// wanted is an object as the last update left it.
type wanted struct {
	// resource is the name of the Pulumi resource that owns the object.
	resource string
	object   *unstructured.Unstructured
	// namespace is the namespace of an object that sets none, if its kind is namespaced.
	namespace string
	// created is the time at which the stack made or adopted the resource; nil if it is unknown.
	created *time.Time
	// manager is the field manager of the comparison: the one that applied the object, or Manager.
	manager string
}

// newWanted returns the object of fields, which are JSON, without the fields that a comparison must
// not contain.
func newWanted(resource, namespace, manager string, fields map[string]any) (wanted, error) {
	text, err := json.Marshal(withoutNulls(adopt.Clean(fields)))
	if err != nil {
		return wanted{}, err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil { // numbers as the API server's
		return wanted{}, err
	}
	removeOthersFields(object.Object)
	encodeStringData(object.Object)
	return wanted{resource: resource, object: object, namespace: namespace, manager: manager}, nil
}

// withoutNulls returns a value without null fields, which set nothing.
func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, inner := range value {
			if inner != nil {
				kept[key] = withoutNulls(inner)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i, inner := range value {
			kept[i] = withoutNulls(inner)
		}
		return kept
	}
	return value
}

// removeOthersFields removes the fields that the API server or a controller sets, whatever a
// manifest says: the CA of a webhook, and the rules of an aggregated ClusterRole.
func removeOthersFields(object map[string]any) {
	if _, aggregated := object["aggregationRule"]; aggregated {
		delete(object, "rules")
	}
	unstructured.RemoveNestedField(object, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(object, "spec", "caBundle") // APIService
	unstructured.RemoveNestedField(object, "spec", "conversion", "webhook", "clientConfig",
		"caBundle")
	webhooks, _ := object["webhooks"].([]any)
	for _, webhook := range webhooks {
		if fields, ok := webhook.(map[string]any); ok {
			unstructured.RemoveNestedField(fields, "clientConfig", "caBundle")
		}
	}
}

// encodeStringData moves a Secret's stringData to its data, as the API server does.
func encodeStringData(object map[string]any) {
	texts, _ := object["stringData"].(map[string]any)
	if object["kind"] != "Secret" || len(texts) == 0 {
		return
	}
	data, _ := object["data"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	for key, value := range texts {
		text, _ := value.(string)
		data[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	object["data"] = data
	delete(object, "stringData")
}

// parseManifest returns the objects of a release's manifest.
func parseManifest(resource, namespace, manifest string) (all []wanted, err error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(manifest)), 4096)
	for {
		var fields map[string]any
		err := decoder.Decode(&fields)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the manifest of %s: %w", resource, err)
		}
		if len(fields) == 0 {
			continue // a comment between two separators
		}
		one, err := newWanted(resource, namespace, Manager, fields)
		if err != nil {
			return nil, fmt.Errorf("the manifest of %s: %w", resource, err)
		}
		all = append(all, one)
	}
}

// resolveNamespace returns the namespace of an object whose kind has namespaces.
func (w *wanted) resolveNamespace() string { return cmp.Or(w.object.GetNamespace(), w.namespace) }

// title returns the object as strata:drift.ignore names it: Kind/name or Kind/namespace/name.
func (w *wanted) title(namespaced bool) string {
	namespace := w.object.GetNamespace()
	if namespaced {
		namespace = w.resolveNamespace()
	}
	parts := []string{w.object.GetKind(), namespace, w.object.GetName()}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "/")
}
