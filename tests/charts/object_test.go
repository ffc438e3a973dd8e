package charts_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/releaseutil"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// object is a Kubernetes object, from a chart or the program's own.
type object struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"metadata"`
	// from names its source; text is the whole object as JSON.
	from string
	text []byte
}

// read parses the objects in YAML. Objects without a namespace get the given one. It omits Helm's
// hooks, which are deleted after the installation.
func read(from, namespace, text string) ([]object, error) {
	var objects []object
	for _, document := range releaseutil.SplitManifests(text) {
		asJSON, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		found := object{from: from, text: asJSON}
		if err := json.Unmarshal(asJSON, &found); err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		if found.Kind == "" || found.Annotations["helm.sh/hook"] != "" {
			continue
		}
		if found.Namespace == "" {
			found.Namespace = namespace
		}
		objects = append(objects, found)
	}
	return objects, nil
}

// parse is read for a text that must be well-formed.
func parse(t *testing.T, from, namespace, text string) []object {
	t.Helper()
	objects, err := read(from, namespace, text)
	require.NoError(t, err)
	return objects
}

// as converts an object to a Go type.
func as[T any](o object) T {
	var typed T
	if err := json.Unmarshal(o.text, &typed); err != nil {
		panic(fmt.Sprintf("%s: %s %s: %v", o.from, o.Kind, o.Name, err))
	}
	return typed
}

// pods holds the parts of a workload that all kinds share.
type pods struct {
	Spec struct {
		Selector metav1.LabelSelector   `json:"selector"`
		Template corev1.PodTemplateSpec `json:"template"`
	} `json:"spec"`
}
