package canary

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const routePath = "/apis/gateway.networking.k8s.io/v1/namespaces/apps/httproutes/shop"

// api fakes an API server with one route, a Deployment, two Pods of Traefik and the canary's own
// answers.
type api struct {
	version   int
	conflicts int
	rules     any
	available int
	// images are the images of the two Deployments' Pods.
	images [2]string
	probe  int
	// away is the number of first requests that fail. Alternately, they get no answer, or the error
	// of an API server whose etcd has no leader.
	away int
	// silent is the number of first probes that get no answer.
	silent  int
	metrics map[string]string
	// services lists the cluster's Services, as namespace and name.
	services [][2]string
	// canaryPods are the addresses of the canary's Pods.
	canaryPods []string
	// leaving is the time at which the grace period of the previous version's Pod ends.
	leaving time.Time
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, object any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(object)
	}
	if a.away > 0 {
		a.away--
		if a.away%2 == 0 {
			panic(http.ErrAbortHandler)
		}
		answer(http.StatusInternalServerError,
			map[string]any{"kind": "Status", "apiVersion": "v1", "message": "etcdserver: leader changed", "code": 500})
		return
	}
	switch {
	case r.URL.Path == "/metrics": // the API server shows its own metrics to administrators only
		answer(http.StatusForbidden, map[string]any{"kind": "Status", "apiVersion": "v1",
			"code": 403, "reason": "Forbidden"})
	case r.URL.Path == routePath && r.Method == http.MethodPatch:
		answer(a.patched(r.Body))
	case r.URL.Path == routePath:
		answer(http.StatusOK, map[string]any{
			"metadata": map[string]any{"resourceVersion": fmt.Sprint(a.version)},
			"spec":     map[string]any{"rules": a.rules}})
	case r.URL.Path == "/apis/apps/v1/namespaces/apps/deployments/shop-canary":
		d := deploymentOf("shop-canary", a.images[1])
		d.Status.AvailableReplicas = int32(a.available)
		answer(http.StatusOK, d)
	case r.URL.Path == "/apis/apps/v1/namespaces/apps/deployments/shop":
		answer(http.StatusOK, deploymentOf("shop", a.images[0]))
	case r.URL.Path == "/api/v1/namespaces/apps/services/shop-canary:http/proxy/ready":
		if a.silent > 0 {
			a.silent--
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(a.probe)
	case r.URL.Path == "/api/v1/namespaces/traefik/pods":
		answer(http.StatusOK, a.listOfTraefikPods())
	case r.URL.Path == "/api/v1/services":
		items := []any{}
		for _, s := range a.services {
			items = append(items, map[string]any{"metadata": map[string]any{"namespace": s[0], "name": s[1]}})
		}
		answer(http.StatusOK, map[string]any{"kind": "ServiceList", "apiVersion": "v1", "items": items})
	case r.URL.Path == "/api/v1/namespaces/apps/pods" &&
		r.URL.Query().Get("labelSelector") == "app.kubernetes.io/name=shop-canary":
		answer(http.StatusOK, a.listOfCanaryPods())
	default:
		for name, text := range a.metrics {
			if r.URL.Path == "/api/v1/namespaces/traefik/pods/"+name+":9100/proxy/metrics" && text != "" {
				_, _ = io.WriteString(w, text)
				return
			}
		}
		answer(http.StatusServiceUnavailable, map[string]any{"kind": "Status", "apiVersion": "v1", "code": 503})
	}
}

// patched applies a PATCH of the route, and returns the status and the body of the response.
func (a *api) patched(body io.Reader) (status int, object any) {
	text, _ := io.ReadAll(body)
	var patch struct {
		Metadata struct{ ResourceVersion string }
		Spec     struct{ Rules any }
	}
	_ = json.Unmarshal(text, &patch)
	if a.conflicts > 0 || patch.Metadata.ResourceVersion != fmt.Sprint(a.version) {
		a.conflicts--
		a.version++
		return http.StatusConflict, map[string]any{"kind": "Status", "apiVersion": "v1",
			"reason": "Conflict", "code": 409}
	}
	a.version++
	a.rules = patch.Spec.Rules
	return http.StatusOK, map[string]any{}
}

func (a *api) listOfTraefikPods() map[string]any {
	items := []any{}
	for name := range a.metrics {
		items = append(items, map[string]any{
			"metadata": map[string]any{"name": name, "namespace": "traefik"},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "traefik", "image": "traefik:v9.0"}}},
		})
	}
	return map[string]any{"kind": "PodList", "apiVersion": "v1", "items": items}
}

func (a *api) listOfCanaryPods() map[string]any {
	gone := map[string]any{"name": "of-the-version-before", "deletionTimestamp": a.leaving.UTC().Format(time.RFC3339)}
	items := []any{map[string]any{"metadata": gone, "status": map[string]any{"podIP": "10.42.0.9"}}}
	for i, address := range a.canaryPods {
		items = append(items, map[string]any{
			"metadata": map[string]any{"name": fmt.Sprint("shop-canary-", i)},
			"status":   map[string]any{"podIP": address}})
	}
	return map[string]any{"kind": "PodList", "apiVersion": "v1", "items": items}
}

// in returns a cluster with a client of the fake API server a. It reads Traefik's metrics.
func in(t *testing.T, a *api) *cluster {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	with := spec
	with.Metrics = []Metrics{{Namespace: "traefik", Selector: "a=b", Port: 9100, Path: "/metrics",
		Counter: "traefik_service_requests_total", Label: "service"}}
	return &cluster{with, client}
}

// backends returns a route's rules with these weights for the stable and the canary backend.
func backends(stable, canary int) []any {
	return []any{map[string]any{"backendRefs": []any{
		map[string]any{"name": "shop", "port": 80.0, "weight": float64(stable)},
		map[string]any{"name": "shop-canary", "port": 80.0, "weight": float64(canary)},
	}, "matches": []any{map[string]any{"path": map[string]any{"type": "PathPrefix", "value": "/"}}}}}
}

func TestWeighChangesOnlyBackendWeights(t *testing.T) {
	a := &api{rules: backends(100, 0), conflicts: 2}
	require.NoError(t, in(t, a).Weigh(t.Context(), 25))
	assert.Equal(t, backends(75, 25), a.rules)
}

func TestWeighNamesRouteAfterRepeatedConflicts(t *testing.T) {
	a := &api{rules: backends(100, 0), conflicts: 100}
	require.ErrorContains(t, in(t, a).Weigh(t.Context(), 25), "HTTPRoute apps/shop: weigh shop-canary with 25 %")
	assert.Equal(t, backends(100, 0), a.rules)
}

func TestRouteWithoutCanaryBackendIsRefused(t *testing.T) {
	a := &api{rules: []any{map[string]any{"backendRefs": []any{map[string]any{"name": "shop", "port": 80.0}}}}}
	require.ErrorContains(t, in(t, a).Weigh(t.Context(), 25), "has no backends shop and shop-canary")
}

// family is the header of the metric's lines in Traefik's metrics.
const family = "# TYPE traefik_service_requests_total counter\n"

// metric returns a line of Traefik's own metrics.
func metric(service, code string, n int) string {
	return fmt.Sprintf("traefik_service_requests_total{code=%q,method=\"POST\",protocol=\"http\",service=%q} %d\n", code, service, n)
}

// served returns a Service's label in Traefik 3.7.6 and later, taken from 3.7.9: a router's name,
// which ends with a digest, and its backend.
func served(namespace, service string, index int) string {
	const router = "httproute-apps-shop-gw-traefik-traefik-ep-websecure-0-799bcbf0c2317c5d1c93"
	return fmt.Sprintf("%s-svc-%s-%s-%d@kubernetesgateway", router, namespace, service, index)
}

// Traefik's metrics name a Service in one of two forms. In both forms, another Service's name must
// not count as the canary's.
func TestTraefikMetricsCountOnlyCanaryService(t *testing.T) {
	for name, label := range map[string]func(namespace, service string) string{
		"up to 3.7.5": func(namespace, service string) string {
			return namespace + "-" + service + "-http-80@kubernetesgateway"
		},
		"since 3.7.6": func(namespace, service string) string { return served(namespace, service, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			canary, others := label("apps", "shop-canary"), ""
			for _, other := range [][2]string{
				{"apps", "shop"}, {"apps", "shop-canary-2"}, {"apps", "shop-canary-http"},
				{"apps", "a-shop-canary"}, {"my-apps", "shop-canary"},
			} {
				others += metric(label(other[0], other[1]), "500", 1000)
			}
			a := &api{available: 1, probe: 200, metrics: map[string]string{
				"one": family + metric(canary, "200", 90) + metric(canary, "500", 3) + others,
				"two": family + metric(canary, "200", 10) + metric(canary, "404", 1) + metric(canary, "503", 2),
				"new": "", // not answering yet
			}}
			found, err := in(t, a).Observe(t.Context())
			require.NoError(t, err)
			assert.Equal(t, seen{Counters: map[string]counter{"traefik/one": {93, 3}, "traefik/two": {13, 2}}}, found)
		})
	}
}

// A label of an unknown form is reported, with all labels and the version. Labels of a known form,
// and of Traefik's own services, are not reported.
func TestUnknownTraefikServiceLabelsAreReported(t *testing.T) {
	const other = "gateway/apps/shop-canary:80@gatewayapi"
	for name, test := range map[string]struct{ text, want string }{
		"no label":                         {"", ""},
		"only Traefik's internal services": {metric("api@internal", "200", 1), ""},
		"unknown form": {metric(other, "200", 9) + metric("api@internal", "200", 1),
			`Pod traefik/one (traefik:v9.0) counts by service ["` + other + `"]`},
		"unknown form beside a known form": {metric(other, "200", 9) + metric(served("apps", "shop", 0), "200", 1), ""},
		"form of Traefik 3.7.5":            {metric("apps-shop-http-80@kubernetesgateway", "200", 1), ""},
		"more labels than the message shows": {metric("a", "200", 1) + metric("b", "200", 1) +
			metric("c", "200", 1) + metric("d", "200", 1),
			`Pod traefik/one (traefik:v9.0) counts by service ["a" "b" "c"]`},
		"an Ingress to the canary": {metric("apps-shop-canary-80@kubernetes", "200", 1),
			`Pod traefik/one (traefik:v9.0) counts by service ["apps-shop-canary-80@kubernetes"]`},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := in(t, &api{available: 1, probe: 200,
				metrics: map[string]string{"one": family + test.text}}).Observe(t.Context())
			require.NoError(t, err)
			assert.Equal(t, test.want, found.Unread)
			assert.Equal(t, map[string]counter{"traefik/one": {}}, found.Counters)
		})
	}
}

// Traefik joins namespace and name by a dash, so two Services may have the same label.
func TestAmbiguousTraefikServiceNamesAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		services [][2]string
		says     string
	}{
		"different labels": {[][2]string{{"apps", "shop-canary"}, {"apps", "shop"},
			{"apps", "shop-canary-2"}, {"shop", "canary"}}, ""},
		"same label through a dash in the namespace": {[][2]string{{"apps", "shop-canary"}, {"apps-shop", "canary"}},
			"cannot be told from those of Service apps-shop/canary"},
		"same label through two dashes": {[][2]string{{"apps", "shop--canary"},
			{"apps", "shop-canary"}}, "cannot be told from those of Service apps/shop--canary"},
	} {
		t.Run(name, func(t *testing.T) {
			c := in(t, &api{services: test.services})
			if err := c.Distinct(t.Context()); test.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.says)
			}
			c.spec.Metrics[0].ByPod = true
			require.NoError(t, c.Distinct(t.Context()), "no two Pods have one address")
		})
	}
}

// APISIX counts by route and Pod. Only answers of the canary's Pods count. Answers of the old
// version on the same route, of a terminating Pod, and of APISIX itself do not count.
func TestAPISIXMetricsCountOnlyCanaryPods(t *testing.T) {
	line := func(code, node string, n int) string {
		return fmt.Sprintf("apisix_http_status{code=%q,route=\"1a\",matched_uri=\"/*\",service=\"2b\",consumer=\"\",node=%q} %d\n", code, node, n)
	}
	a := &api{available: 1, probe: 200, canaryPods: []string{"10.42.0.7", "10.42.1.7", ""}, metrics: map[string]string{
		"one": "# TYPE apisix_http_status counter\n" + line("200", "10.42.0.7", 90) +
			line("500", "10.42.0.7", 3) + line("502", "10.42.0.5", 1000) +
			line("503", "", 7) + line("500", "10.42.0.9", 5),
		"two": "# TYPE apisix_http_status counter\n" + line("200", "10.42.1.7", 10) +
			line("404", "10.42.0.7", 1) + line("503", "10.42.1.7", 2),
	}}
	c := in(t, a)
	c.spec.Metrics[0].Counter, c.spec.Metrics[0].Label, c.spec.Metrics[0].ByPod = "apisix_http_status", "node", true
	found, err := c.Observe(t.Context())
	require.NoError(t, err)
	assert.Equal(t, seen{Counters: map[string]counter{"traefik/one": {93, 3}, "traefik/two": {13, 2}}}, found)
}

// If the API server does not answer, nothing is known about the version, so the request is retried.
func TestUnreachableAPIServerIsRetried(t *testing.T) {
	a := &api{rules: backends(100, 0), available: 1, probe: 200, away: 2, silent: 2}
	c := in(t, a)
	found, err := c.Observe(t.Context())
	require.NoError(t, err)
	assert.Empty(t, found.Wrong)
	a.away = 2
	require.NoError(t, c.Weigh(t.Context(), 25))
	assert.Equal(t, backends(75, 25), a.rules)
}

// deploymentOf returns a Deployment as a workload declares it: its Pods carry its name in a label.
func deploymentOf(name, image string) *appsv1.Deployment {
	labels := map[string]string{"app.kubernetes.io/name": name}
	return &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Name: "shop", Image: image}},
				TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{MaxSkew: 1,
					LabelSelector: &metav1.LabelSelector{MatchLabels: labels}}},
			},
		}}}
}

func TestSameVersionIsDetectedByPodImages(t *testing.T) {
	for images, want := range map[[2]string]bool{{"shop:1", "shop:1"}: true, {"shop:1", "shop:2"}: false} {
		same, err := in(t, &api{images: images}).Same(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, same, images)
	}
}

// The API server still lists a Pod whose grace period ended long ago. Such a Pod is dead and does
// not count.
func TestPodCountsAsTerminatingUntilGracePeriodEnds(t *testing.T) {
	a := &api{canaryPods: []string{"10.42.0.7"}}
	leaving, err := in(t, a).CountTerminating(t.Context())
	require.NoError(t, err)
	assert.Zero(t, leaving)
	a.leaving = time.Now().Add(time.Minute)
	leaving, err = in(t, a).CountTerminating(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, leaving)
}

func TestObserveReportsCanaryWithoutReadyPod(t *testing.T) {
	for name, a := range map[string]*api{"no Pod of it is available": {probe: 200}, "its probe /ready answers 503": {available: 1, probe: 503}} {
		found, err := in(t, a).Observe(t.Context())
		require.NoError(t, err)
		assert.Contains(t, found.Wrong, name)
	}
}

func TestSpecWithoutRoutesOrValidStepsIsRefused(t *testing.T) {
	require.NoError(t, spec.Validate())
	none, all := spec, spec
	none.Routes, all.Steps = nil, []int{100}
	require.Error(t, none.Validate())
	require.Error(t, all.Validate())
}
