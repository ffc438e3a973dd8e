package conformance_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/conformance/internal/plugin"
)

func service(name string, spec map[string]any) map[string]any {
	fields := map[string]any{"ports": []any{map[string]any{"port": 80, "protocol": "TCP"}}}
	maps.Copy(fields, spec)
	return map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": meta(name, nil),
		"spec": fields}
}

func deployment(name string, replicas int, annotations map[string]any) map[string]any {
	labels := map[string]any{"app": name}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(name, annotations),
		"spec": map[string]any{
			"replicas": replicas, "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{
					"containers": []any{map[string]any{"name": "c", "image": "example.invalid/c"}},
				},
			},
		},
	}
}

var builtinCases = []testCase{
	{"a Deployment whose Pods do not start is stored with its reasons", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("apps/v1:Deployment", "d")
		const unavailable = "[MinimumReplicasUnavailable] Deployment does not have minimum availability."
		want := plugin.Create
		inTime(t, 5, func(timeout float64) bool {
			inputs := deployment("d", 1,
				map[string]any{"pulumi.com/timeoutSeconds": strconv.Itoa(int(timeout))})
			err := fails(t, r, want, props(inputs))
			assert.ErrorContains(t, err, "'d' timed out waiting to be Ready")
			want = plugin.Update
			return slices.Contains(r.InitErrors, unavailable)
		})
		assert.Equal(t, w.namespace+"/d", r.ID)
		assert.Contains(t, r.InitErrors, "Minimum number of live Pods was not attained")
		r.Timeout = slowest.Seconds()
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
		var r *plugin.Resource
		atOnce(t, 9*time.Second, func() { // waiting for endpoints takes at least 10 s
			if r != nil {
				require.NoError(t, r.Delete(t.Context()))
			}
			r = w.resource("core/v1:Service", "svc")
			up(t, r, plugin.Create, props(service("svc", nil)))
		})
		assert.NotEmpty(t, text(r.State, "spec", "clusterIP"))
		up(t, r, plugin.Same, props(service("svc", nil)))
	}},
	{"a Service that selects no Pod is ready when its endpoints did not change for 10 s",
		func(t *testing.T) {
			w := newWorld(t)
			r := w.resource("core/v1:Service", "svc")
			r.Timeout = 2 * slowest.Seconds()
			began := time.Now()
			up(t, r, plugin.Create, props(service("svc",
				map[string]any{"selector": map[string]any{"app": "none"}})))
			assert.GreaterOrEqual(t, time.Since(began), 9*time.Second)
			assert.Less(t, time.Since(began), slowest)
			require.NoError(t, r.Refresh(t.Context()))
		}},
	{"a Service that selects no Pod is ready when time is up", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Service", "svc")
		r.Timeout = 2
		up(t, r, plugin.Create, props(service("svc",
			map[string]any{"selector": map[string]any{"app": "none"}})))
	}},
	{"a Service whose Pod is not ready is stored with its reasons", func(t *testing.T) {
		w := newWorld(t)
		w.create(pods, object("v1", "Pod", "p", map[string]any{
			"metadata": map[string]any{"name": "p", "labels": map[string]any{"app": "p"}},
			// The endpoints controller needs a node name.
			"spec": map[string]any{
				"nodeName": "nowhere", "containers": []any{map[string]any{"name": "c",
					"image": "example.invalid/c"}},
			},
		}))
		w.patch(pods, "p", `{"status":{"phase":"Running","podIP":"10.9.9.9","podIPs":[{"ip":"10.9.9.9"}],`+
			`"conditions":[{"type":"Ready","status":"False"}]}}`, "status")
		selector := map[string]any{"selector": map[string]any{"app": "p"}}
		// The endpoints of svc must exist before Service svc. The controller notices the Pod only
		// with a Service that selects it, so Service other comes first.
		w.create(services, &unstructured.Unstructured{Object: service("other", selector)})
		eventually(t, func() bool { return w.pendingAddresses("other") > 0 })
		w.create(endpoints, object("v1", "Endpoints", "svc",
			map[string]any{"subsets": []any{map[string]any{
				"notReadyAddresses": []any{map[string]any{"ip": "10.9.9.9"}},
				"ports":             []any{map[string]any{"port": 80, "protocol": "TCP"}},
			}}}))
		r := w.resource("core/v1:Service", "svc")
		r.Timeout = 8
		err := fails(t, r, plugin.Create, props(service("svc", selector)))
		assert.ErrorContains(t, err, "'svc' timed out waiting to be Ready")
		assert.NotEmpty(t, r.ID)
		assert.Contains(t, r.InitErrors,
			"Service does not target any Pods. Selected Pods may not be ready, "+
				"or field '.spec.selector' may not match labels on any Pods")
		require.Error(t, r.Refresh(t.Context()))
	}},
	{"a LoadBalancer waits for its address", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Service", "svc")
		inputs := props(service("svc", map[string]any{"type": "LoadBalancer"}))
		address := later(func() {
			w.patch(services, "svc", `{"status":{"loadBalancer":{"ingress":[{"ip":"10.0.0.200"}]}}}`, "status")
		})
		defer address.wait()
		r.Timeout = slowest.Seconds()
		up(t, r, plugin.Create, inputs)
		address.cameFirst(t)
		assert.Equal(t, "10.0.0.200", text(r.State, "status", "loadBalancer", "ingress", 0, "ip"))
	}},
	{"a LoadBalancer without an address is stored with its reasons", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Service", "svc")
		r.Timeout = 2
		fails(t, r, plugin.Create, props(service("svc", map[string]any{"type": "LoadBalancer"})))
		assert.NotEmpty(t, r.ID)
		assert.Contains(
			t,
			r.InitErrors,
			"Service was not allocated an IP address; does your cloud provider support this?",
		)
	}},
	{"a Pod is awaited until it is ready", func(t *testing.T) {
		w := newWorld(t)
		r := w.resource("core/v1:Pod", "p")
		inputs := map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": meta("p", nil),
			"spec": map[string]any{"containers": []any{map[string]any{"name": "c",
				"image": "example.invalid/c"}}},
		}
		ready := later(func() {
			w.patch(pods, "p", `{"status":{"phase":"Running","conditions":[`+
				`{"type":"PodScheduled","status":"True"},{"type":"Initialized","status":"True"},`+
				`{"type":"ContainersReady","status":"True"},{"type":"Ready","status":"True"}]}}`,
				"status")
		})
		defer ready.wait()
		r.Timeout = slowest.Seconds()
		up(t, r, plugin.Create, props(inputs))
		ready.cameFirst(t)
	}},
	{"a Pod whose container does not start is stored with its reason", func(t *testing.T) {
		inTime(t, 4, func(timeout float64) bool {
			w := newWorld(t)
			r := w.resource("core/v1:Pod", "p")
			r.Timeout = timeout
			waiting := later(func() {
				w.patch(pods, "p", `{"status":{"phase":"Pending","conditions":[`+
					`{"type":"PodScheduled","status":"True"},{"type":"Initialized","status":"True"},{"type":"Ready",`+
					`"status":"False","reason":"ContainersNotReady","message":"containers with unready status: [c]"}],`+
					`"containerStatuses":[{"name":"c","image":"c","imageID":"","ready":false,"restartCount":0,`+
					`"state":{"waiting":{"reason":"ErrImagePull","message":"not found"}}}]}}`,
					"status")
			})
			defer waiting.wait()
			fails(t, r, plugin.Create, props(map[string]any{
				"apiVersion": "v1", "kind": "Pod", "metadata": meta("p", nil),
				"spec": map[string]any{"containers": []any{map[string]any{"name": "c",
					"image": "example.invalid/c"}}},
			}))
			return slices.Contains(r.InitErrors,
				"[Pod "+w.namespace+"/p]: containers with unready status: [c][ErrImagePull] not found")
		})
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
		atOnce(t, 9*time.Second, func() {
			up(t, w.resource("rbac.authorization.k8s.io/v1:Role", "role"), plugin.Create,
				props(map[string]any{
					"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
					"metadata": meta(unique("role"), nil),
					"rules": []any{
						map[string]any{"apiGroups": []any{""}, "resources": []any{"pods"},
							"verbs": []any{"get"}},
					},
				}))
		})
	}},
}
