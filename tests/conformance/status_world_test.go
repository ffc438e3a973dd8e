package conformance_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"strata/tests/drift"
)

// statusWorld is the control plane for one row of the status table.
type statusWorld struct {
	t      *testing.T
	client dynamic.Interface
}

// define creates the CRDs of an upstream artifact, and waits until they are served.
func (s statusWorld) define(artifact string) {
	s.t.Helper()
	file, there, err := drift.Original(artifact)
	require.NoError(s.t, err)
	require.True(s.t, there, "%s has no %s, which the controller reads", drift.Variable, artifact)
	text, err := os.ReadFile(file.Path)
	require.NoError(s.t, err)
	for document := range strings.SplitSeq(string(text), "\n---") {
		one := &unstructured.Unstructured{}
		require.NoError(s.t, yaml.Unmarshal([]byte(document), &one.Object), file.Path)
		if one.GetKind() != "CustomResourceDefinition" {
			continue
		}
		_, err := s.client.Resource(definitions).Create(s.t.Context(), one, metav1.CreateOptions{})
		require.NoError(s.t, err)
		eventually(s.t, func() bool {
			now, err := s.client.Resource(definitions).Get(s.t.Context(), one.GetName(),
				metav1.GetOptions{})
			if err != nil {
				return false
			}
			conditions, _, _ := unstructured.NestedSlice(now.Object, "status", "conditions")
			return slices.ContainsFunc(conditions, func(c any) bool {
				condition := c.(map[string]any)
				return condition["type"] == "Established" && condition["status"] == "True"
			})
		})
	}
}

func (s statusWorld) of(kind, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return s.client.Resource(statusKinds[kind])
	}
	return s.client.Resource(statusKinds[kind]).Namespace(namespace)
}

func (s statusWorld) create(all []map[string]any) {
	s.t.Helper()
	for _, fields := range all {
		one := &unstructured.Unstructured{Object: fields}
		_, err := s.of(one.GetKind(), one.GetNamespace()).Create(s.t.Context(), one,
			metav1.CreateOptions{})
		require.NoError(s.t, err, one.GetKind())
	}
}

// remove deletes the objects in reverse order, because a GatewayClass with a Gateway keeps its
// finalizer.
func (s statusWorld) remove(all []map[string]any) {
	s.t.Helper()
	for _, fields := range slices.Backward(all) {
		one := &unstructured.Unstructured{Object: fields}
		client := s.of(one.GetKind(), one.GetNamespace())
		require.NoError(s.t, client.Delete(s.t.Context(), one.GetName(), metav1.DeleteOptions{}))
		eventually(s.t, func() bool {
			_, err := client.Get(s.t.Context(), one.GetName(), metav1.GetOptions{})
			return err != nil
		})
	}
}

// expect waits until an object, given as KIND/NAME, has a status. Conditions are compared by type,
// status and reason only.
func (s statusWorld) expect(of, source string, want map[string]any) {
	s.t.Helper()
	kind, name, _ := strings.Cut(of, "/")
	wanted := summarized(s.t, want)
	var found any
	same := func() bool {
		for _, namespace := range []string{"", "apisix", "demo"} {
			one, err := s.of(kind, namespace).Get(s.t.Context(), name, metav1.GetOptions{})
			if err != nil {
				continue
			}
			status, _, _ := unstructured.NestedMap(one.Object, "status")
			if found = summarized(s.t, status); reflect.DeepEqual(found, wanted) {
				return true
			}
		}
		return false
	}
	if assert.Eventually(s.t, same, slowest, 50*time.Millisecond, "%s: %s", of, source) {
		return
	}
	expected, err := yaml.Marshal(wanted)
	require.NoError(s.t, err)
	have, err := yaml.Marshal(found)
	require.NoError(s.t, err)
	s.t.Logf("expected\n%s\nfound\n%s", expected, have)
}

// summarized returns a status with each condition as the text "TYPE=STATUS REASON".
func summarized(t *testing.T, status map[string]any) any {
	t.Helper()
	text, err := json.Marshal(status)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(text, &value))
	return shortened(value)
}

func shortened(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		if kind, is := typed["type"].(string); is && typed["reason"] != nil {
			return kind + "=" + typed["status"].(string) + " " + typed["reason"].(string)
		}
		for key, inner := range typed {
			typed[key] = shortened(inner)
		}
		return typed
	case []any:
		for i, inner := range typed {
			typed[i] = shortened(inner)
		}
		slices.SortFunc(typed, func(a, b any) int {
			first, _ := a.(string)
			second, _ := b.(string)
			return strings.Compare(first, second)
		})
		return typed
	}
	return value
}
