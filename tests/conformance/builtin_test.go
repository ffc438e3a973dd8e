package conformance_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/conformance/internal/plugin"
)

func service(name string, spec map[string]any) map[string]any {
	fields := map[string]any{"ports": []any{map[string]any{"port": 80, "protocol": "TCP"}}}
	for key, value := range spec {
		fields[key] = value
	}
	return map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": meta(name, nil), "spec": fields}
}

func deployment(name string, replicas int, annotations map[string]any) map[string]any {
	labels := map[string]any{"app": name}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(name, annotations),
		"spec": map[string]any{
			"replicas": replicas, "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "example.invalid/c"}}},
			},
		},
	}
}

var builtinCases = []testCase{
	{"a Deployment whose Pods do not start is stored with its reasons", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("apps/v1:Deployment", "d")
		inputs := deployment("d", 1, map[string]any{"pulumi.com/timeoutSeconds": "2"})
		err := fails(t, r, plugin.Create, props(inputs))
		assert.ErrorContains(t, err, "'d' timed out waiting to be Ready")
		assert.Equal(t, w.namespace+"/d", r.ID)
		assert.NotEmpty(t, r.InitErrors)
		r.Timeout = 30
		require.NoError(t, r.Delete(t.Context()))
	}},
	{"skipAwait stores a Deployment at once and takes it away", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("apps/v1:Deployment", "d")
		inputs := deployment("d", 1, map[string]any{"pulumi.com/skipAwait": "true"})
		up(t, r, plugin.Create, props(inputs))
		up(t, r, plugin.Same, props(inputs))
		require.NoError(t, r.Delete(t.Context()))
	}},
	{"a changed selector of a Deployment replaces it", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("apps/v1:Deployment", "d")
		inputs := deployment("d", 1, map[string]any{"pulumi.com/skipAwait": "true"})
		up(t, r, plugin.Create, props(inputs))
		inputs["spec"] = deployment("other", 1, nil)["spec"]
		op, _, err := r.Preview(t.Context(), props(inputs))
		require.NoError(t, err)
		assert.Equal(t, plugin.Replace, op)
	}},
	{"a Service without a selector is ready at once", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Service", "svc")
		began := time.Now()
		up(t, r, plugin.Create, props(service("svc", nil)))
		assert.Less(t, time.Since(began), 8*time.Second)
		assert.NotEmpty(t, text(r.State, "spec", "clusterIP"))
		up(t, r, plugin.Same, props(service("svc", nil)))
	}},
	{"a Service that selects no Pod is stored with its reasons", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Service", "svc")
		r.Timeout = 2
		err := fails(t, r, plugin.Create, props(service("svc", map[string]any{"selector": map[string]any{"app": "none"}})))
		assert.ErrorContains(t, err, "'svc' timed out waiting to be Ready")
		assert.NotEmpty(t, r.ID)
	}},
	{"a LoadBalancer waits for its address", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Service", "svc")
		inputs := props(service("svc", map[string]any{"type": "LoadBalancer"}))
		time.AfterFunc(1500*time.Millisecond, func() {
			w.patch(services, "svc", `{"status":{"loadBalancer":{"ingress":[{"ip":"10.0.0.200"}]}}}`, "status")
		})
		r.Timeout = 60
		began := time.Now()
		up(t, r, plugin.Create, inputs)
		assert.GreaterOrEqual(t, time.Since(began), 1400*time.Millisecond)
		assert.Equal(t, "10.0.0.200", text(r.State, "status", "loadBalancer", "ingress", 0, "ip"))
	}},
	{"a LoadBalancer without an address is stored with its reasons", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Service", "svc")
		r.Timeout = 2
		fails(t, r, plugin.Create, props(service("svc", map[string]any{"type": "LoadBalancer"})))
		assert.NotEmpty(t, r.ID)
		assert.GreaterOrEqual(t, len(r.InitErrors), 2)
	}},
	{"a Pod is awaited until it is ready", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Pod", "p")
		inputs := map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": meta("p", nil),
			"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "example.invalid/c"}}},
		}
		time.AfterFunc(1500*time.Millisecond, func() {
			w.patch(pods, "p", `{"status":{"phase":"Running","conditions":[`+
				`{"type":"PodScheduled","status":"True"},{"type":"Initialized","status":"True"},`+
				`{"type":"ContainersReady","status":"True"},{"type":"Ready","status":"True"}]}}`, "status")
		})
		r.Timeout = 30
		began := time.Now()
		up(t, r, plugin.Create, props(inputs))
		assert.GreaterOrEqual(t, time.Since(began), 1400*time.Millisecond)
	}},
	{"a refresh of a Deployment that is not ready says so", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("apps/v1:Deployment", "d")
		r.Timeout = 2
		fails(t, r, plugin.Create, props(deployment("d", 1, nil)))
		err := r.Refresh(t.Context())
		require.Error(t, err)
		assert.NotEmpty(t, r.InitErrors)
		assert.NotEmpty(t, r.ID)
	}},
	{"config maps, namespaces and roles are not awaited", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("rbac.authorization.k8s.io/v1:Role", "role")
		began := time.Now()
		up(t, r, plugin.Create, props(map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": meta("role", nil),
			"rules": []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": []any{"get"}}},
		}))
		assert.Less(t, time.Since(began), 8*time.Second)
	}},
}
