package gates_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/upstreams"
	"strata/tests/gates/fakeapi"
)

// shopText has a route to a Service with two Pods, and a data plane with two Pods. The second Pod
// of the Service has the given values.
const shopText = `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: shop, namespace: apps}
spec: {rules: [{backendRefs: [{name: shop, port: 80, weight: 1}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: shop, namespace: apps}
spec: {selector: {app: shop}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: shop-1, namespace: apps, labels: {kubernetes.io/service-name: shop}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints:
  - {addresses: [10.42.0.7], conditions: {ready: true}}
  - {addresses: [10.42.0.8], conditions: {ready: {{.listed}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: shop-7, namespace: apps, labels: {app: shop}}
status: {phase: Running, podIPs: [{ip: 10.42.0.7}], conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: shop-8, namespace: apps, labels: {app: shop}}
status: {phase: Running, podIPs: [{ip: 10.42.0.8}], conditions: [{type: Ready, status: "{{.ready}}"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: apisix-a, namespace: apisix, uid: a, labels: {app: apisix}}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: apisix-b, namespace: apisix, uid: b, labels: {app: apisix}}
status: {phase: Running}
`

func shopObjects(t testing.TB, values map[string]any) string {
	t.Helper()
	all := map[string]any{"listed": true, "ready": "True"}
	for key, value := range values {
		all[key] = value
	}
	return object(t, shopText, all)
}

const viewerKey = "viewer-key-of-the-test"

// planeOf returns a data plane's configuration of one service, as ADC 0.27 writes it.
func planeOf(name, nodes string) string {
	return `{"services": [{"id": "s", "upstream_id": "s", "labels": {"k8s/kind": "HTTPRoute", "k8s/namespace": "apps", "k8s/name": "` + name + `"}}],
		"upstreams": [{"id": "s", "nodes": ` + nodes + `}], "consumers": [{"username": "me", "plugins": {"key-auth": {"key": "hunter2hunter2"}}}]}`
}

const bothNodes = `[{"host": "10.42.0.7", "port": 8080, "weight": 1}, {"host": "10.42.0.8", "port": 8080, "weight": 1}]`

// planePod is a Pod of a data plane. A test can change its answer.
type planePod struct {
	status atomic.Int64
	body   atomic.Value
}

func (p *planePod) say(status int, body string) {
	p.status.Store(int64(status))
	p.body.Store(body)
}

func (p *planePod) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/apisix/admin/configs" || r.Header.Get("X-API-KEY") != viewerKey {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.WriteHeader(int(p.status.Load()))
	_, _ = io.WriteString(w, p.body.Load().(string))
}

// upstreamsGate returns a cluster with the shop's route and a data plane of two Pods, and a
// function that starts the gate of the route.
func upstreamsGate(t *testing.T, values map[string]any) (*fakeapi.Cluster, [2]*planePod,
	func() *run) {
	t.Helper()
	c := fakeapi.New(t, 1)
	c.Serve(gatewayGroup+"/v1", "HTTPRoute",
		fakeapi.Resource{Plural: "httproutes", Namespaced: true})
	c.PutAll(shopObjects(t, values))
	planes := [2]*planePod{{}, {}}
	for i, name := range []string{"apisix-a", "apisix-b"} {
		planes[i].say(http.StatusOK, planeOf("shop", bothNodes))
		c.Listen("apisix", name, planes[i])
	}
	return c, planes, func() *run {
		return startWith(t, health.Spec{Servers: c.URLs(), Body: upstreams.Spec{
			Namespace: "apisix", Selector: "app=apisix", Port: 9180,
			Controller: "apisix/Deployment/controller",
			Resync:     metav1.Duration{Duration: time.Minute},
			Routes:     []upstreams.RouteRef{{Kind: "HTTPRoute", Namespace: "apps", Name: "shop"}},
		}}, health.Secrets{Kubeconfig: c.Kubeconfig(), APIKey: []byte(viewerKey)})
	}
}

// In each case, one Pod of the data plane has a wrong configuration or does not show it. The gates
// of rollouts, Gateways and URLs stay open.
func TestUpstreamsGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name   string
		status int
		body   string
		says   string
	}{
		{"a Pod that is gone", 200,
			planeOf("shop",
				`[{"host": "10.42.0.7", "port": 8080}, {"host": "10.42.0.8", "port": 8080}, {"host": "10.42.0.6", "port": 8080}]`),
			"data plane apisix-b: HTTPRoute apps/shop: stale 10.42.0.6:8080"},
		{"a Pod that is new", 200, planeOf("shop", `{"10.42.0.7:8080": 1}`),
			"data plane apisix-b: HTTPRoute apps/shop: missing 10.42.0.8:8080"},
		{"every Pod is another", 200, planeOf("shop", `[{"host": "10.42.0.6", "port": 8080}]`),
			"stale 10.42.0.6:8080, missing 10.42.0.7:8080 10.42.0.8:8080"},
		{"no Pod at all", 200, planeOf("shop", `{}`), "missing 10.42.0.7:8080 10.42.0.8:8080"},
		{"another route's", 200, planeOf("other", bothNodes),
			"data plane apisix-b: HTTPRoute apps/shop: nothing of it"},
		{"no configuration yet", 200, `{"routes_conf_version": 0}`, "nothing of it"},
		{"other keys", 401, "", "expected its configuration, found HTTP 401 (the Pod was started with other keys"},
		{"not allowed", 403, "", "found HTTP 403 (apisix.admin.allow.ipList does not have the Pod's own loopback"},
		{"what cannot be read", 200, `{"consumers": "hunter2hunter2`,
			"its configuration is no JSON that can be read"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			_, planes, begin := upstreamsGate(t, nil)
			planes[1].say(fault.status, fault.body)
			gate := begin()
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			planes[1].say(http.StatusOK, planeOf("shop", bothNodes))
			gate.opens()
			assert.NotContains(t, gate.progress.String(), "hunter2")
			assert.NotContains(t, gate.progress.String(), viewerKey)
		})
	}
}

// EndpointSlices follow the Pods with a delay, and the data plane follows the EndpointSlices. So
// the gate compares EndpointSlices and data plane with the Pods.
func TestUpstreamsGateWaitsForEndpointSlices(t *testing.T) {
	t.Parallel()
	only := planeOf("shop", `[{"host": "10.42.0.7", "port": 8080}]`)
	t.Run("a Pod that became ready", func(t *testing.T) {
		t.Parallel()
		c, planes, begin := upstreamsGate(t, map[string]any{"listed": false})
		planes[0].say(200, only)
		planes[1].say(200, only)
		gate := begin()
		gate.says("Pod shop-8 is ready and not yet in the EndpointSlices of Service apps/shop")
		gate.stays(300 * time.Millisecond)
		c.PutAll(shopObjects(t, nil))
		gate.says("missing 10.42.0.8:8080")
		planes[0].say(200, planeOf("shop", bothNodes))
		planes[1].say(200, planeOf("shop", bothNodes))
		gate.opens()
	})
	t.Run("a Pod that is no longer ready", func(t *testing.T) {
		t.Parallel()
		c, planes, begin := upstreamsGate(t, map[string]any{"ready": "False"})
		gate := begin()
		gate.says("still have 10.42.0.8, where no ready Pod is")
		gate.stays(300 * time.Millisecond)
		c.PutAll(shopObjects(t, map[string]any{"ready": "False", "listed": false}))
		planes[0].say(200, only)
		planes[1].say(200, only)
		gate.opens()
	})
}

// A terminating Pod of the data plane gets no new requests. It finishes its requests with the old
// configuration.
func TestUpstreamsGateIgnoresStoppingDataPlanePods(t *testing.T) {
	t.Parallel()
	c, planes, begin := upstreamsGate(t, nil)
	planes[1].say(200, planeOf("shop", `[]`))
	gate := begin()
	gate.says("data plane apisix-b")
	c.Put(
		"apiVersion: v1\nkind: Pod\nmetadata: {name: apisix-b, namespace: apisix, uid: b, " +
			"labels: {app: apisix}, deletionTimestamp: \"2026-01-01T00:00:00Z\"}\nstatus: {phase: Running}\n")
	gate.opens()
}
