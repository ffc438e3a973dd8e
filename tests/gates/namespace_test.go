package gates_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/namespace"
	"strata/tests/gates/fakeapi"
)

const endingText = `
apiVersion: v1
kind: Namespace
metadata: {name: team-a, deletionTimestamp: "2026-01-01T07:55:13Z", finalizers: []}
spec: {finalizers: [kubernetes]}
status:
  phase: Terminating
  conditions:
  - {type: NamespaceDeletionDiscoveryFailure, status: "{{.undiscovered}}", reason: R, message: "metrics.k8s.io/v1beta1: stale GroupVersion discovery"}
  - {type: NamespaceContentRemaining, status: "{{.remaining}}", reason: R, message: "Some resources are remaining: {{.what}} has 1 resource instances"}
  - {type: NamespaceFinalizersRemaining, status: "{{.remaining}}", reason: R, message: "Some content in the namespace has finalizers remaining: f in 1 resource instances"}
`

const heldText = `
apiVersion: {{.version}}
kind: {{.kind}}
metadata: {name: held, namespace: team-a, finalizers: [{{.finalizer}}]}
`

// endingCluster returns a cluster in which namespace team-a is terminating, and the gate that waits
// for its end.
func endingCluster(t testing.TB, values map[string]any) (*fakeapi.Cluster, health.Spec) {
	t.Helper()
	c := fakeapi.New(t, 1)
	c.Serve("v1", "Namespace", fakeapi.Resource{Plural: "namespaces"})
	c.Serve("v1", "ConfigMap", fakeapi.Resource{Plural: "configmaps", Namespaced: true})
	c.Serve("argoproj.io/v1alpha1", "Application",
		fakeapi.Resource{Plural: "applications", Namespaced: true})
	c.Raw("/apis/argoproj.io", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(
			[]byte(
				`{"kind":"APIGroup","preferredVersion":{"groupVersion":"argoproj.io/v1alpha1","version":"v1alpha1"}}`))
	})
	all := map[string]any{"undiscovered": "False", "remaining": "False", "what": "configmaps."}
	for key, value := range values {
		all[key] = value
	}
	c.Put(object(t, endingText, all))
	return c, health.Spec{Servers: c.URLs(), Body: namespace.Spec{Name: "team-a"}}
}

func TestNamespaceGateNamesObstaclesToDeletion(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name         string
		values, held map[string]any
		says         []string
	}{
		{"a finalizer", map[string]any{"remaining": "True"},
			map[string]any{"version": "v1", "kind": "ConfigMap", "finalizer": "example.org/never"},
			[]string{"configmaps held (finalizers: example.org/never)",
				"conditions: NamespaceContentRemaining, NamespaceFinalizersRemaining"}},
		{"an Application without Argo CD",
			map[string]any{"remaining": "True", "what": "applications.argoproj.io"},
			map[string]any{"version": "argoproj.io/v1alpha1", "kind": "Application",
				"finalizer": "resources-finalizer.argocd.argoproj.io"},
			[]string{"applications.argoproj.io held (finalizers: resources-finalizer.argocd.argoproj.io)",
				"where Argo CD has left, nothing does"}},
		{"an APIService", map[string]any{"undiscovered": "True"}, nil,
			[]string{"an APIService does not answer", "metrics.k8s.io/v1beta1"}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c, spec := endingCluster(t, fault.values)
			if fault.held != nil {
				c.Put(object(t, heldText, fault.held))
			}
			gate := start(t, c, spec)
			for _, text := range fault.says {
				gate.says(text)
			}
			gate.stays(300 * time.Millisecond)
			c.Delete("v1", "namespaces", "", "team-a")
			gate.opens()
		})
	}
}

func TestNamespaceGateFailsAtTimeout(t *testing.T) {
	t.Parallel()
	c, spec := endingCluster(t, map[string]any{"remaining": "True"})
	c.Put(object(t, heldText, map[string]any{"version": "v1", "kind": "ConfigMap",
		"finalizer": "example.org/never"}))
	spec.Timeout = metav1.Duration{Duration: time.Second}
	result := start(t, c, spec).ends(lag)
	assert.Equal(t, health.EndedTimeout, result.Ending)
	assert.Contains(t, result.Report(), "strata:timeouts.test")
	assert.Contains(t, result.Report(), "kubectl -n team-a patch configmaps held")
}

func TestNamespaceGateOpensWhenNamespaceIsNotTerminating(t *testing.T) {
	t.Parallel()
	c, spec := endingCluster(t, nil)
	c.Put("apiVersion: v1\nkind: Namespace\nmetadata: {name: team-a}\n")
	start(t, c, spec).opens()
	c.Delete("v1", "namespaces", "", "team-a")
	start(t, c, spec).opens()
}
