package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// losesSilently runs the program whose ups succeed and whose objects do not work: a Service before the address pool, and Traefik
// before the Gateway API's definitions.
func (s *stack) losesSilently(t *testing.T, hosts *lent) {
	hosts.importImages(t, "server-1", "controller", "speaker", "traefik")
	r := s.race(t, "silent")
	r.must(r.up())
	serve(t, s.client(), "hello")
	s.available(t, "race", "metallb-controller")
	s.available(t, "race", "traefik")
	t.Run("a Service before the address pool", func(t *testing.T) { s.pendsWithoutPool(t, hosts) })
	t.Run("Traefik before the definitions", func(t *testing.T) { s.servesNoGateway(t, hosts) })
	s.takeAway(t)
	r.must(r.destroy())
	s.definitionsGone(t)
}

// importImages gives a host images that its stack does not use.
func (l *lent) importImages(t *testing.T, name string, archives ...string) {
	for _, archive := range archives {
		file, err := os.Open(filepath.Join(bundle, "images", archive+".tar"))
		require.NoError(t, err)
		defer func() { _ = file.Close() }()
		cmd := exec.Command(strata, "machine", "exec", l.machine(name), "--", "k3s", "ctr", "--namespace", "k8s.io", "images", "import", "-")
		cmd.Stdin = file
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", archive, output)
	}
}

// available waits until a Deployment serves, in the eyes of Kubernetes.
func (s *stack) available(t *testing.T, namespace, name string) {
	deployments := s.client().AppsV1().Deployments(namespace)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		d, err := deployments.Get(context.Background(), name, metav1.GetOptions{})
		require.NoError(c, err)
		require.Equal(c, int32(1), d.Status.AvailableReplicas, "%s/%s", namespace, name)
	}, time.Minute, 200*time.Millisecond)
}

// gate asks one gate of a kind, as a resource of the program would.
func (s *stack) gate(hosts *lent, kind string, question map[string]any, timeout time.Duration) result {
	return s.feed(map[string]any{
		"kind": kind, kind: question, "gate": "race", "layer": "race", "timeout": timeout.String(), "timeoutKey": "none",
		"servers": []string{"https://" + hosts.net.address(11) + ":6443"},
	}, "gate")
}

// pendsWithoutPool: nobody says anything about the Service, and it gets its address when the pool comes.
func (s *stack) pendsWithoutPool(t *testing.T, hosts *lent) {
	hello := map[string]any{"namespace": "default", "service": "hello", "ports": []int{80}}
	s.refused(t, s.gate(hosts, "address", hello, 5*time.Second), "no address yet", "no address pool")
	events, err := s.client().CoreV1().Events("default").List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.kind=Service,involvedObject.name=hello"})
	require.NoError(t, err)
	for _, event := range events.Items {
		assert.NotEqual(t, corev1.EventTypeWarning, event.Type, "%s", event.Message)
	}
	s.admitted(t, "/apis/metallb.io/v1beta1/namespaces/race/ipaddresspools", fmt.Sprintf(racePool, hosts.net.pool()))
	s.admitted(t, "/apis/metallb.io/v1beta1/namespaces/race/l2advertisements", advertisement)
	answers(t, addressOf(t, s.client(), "hello"))
	s.must(s.gate(hosts, "address", hello, time.Minute))
}

// servesNoGateway: Traefik's Pod is Ready, and it has not noticed the definitions; it looks for them ever more seldom.
func (s *stack) servesNoGateway(t *testing.T, hosts *lent) {
	s.hasTriedFor(t, "GatewayClass", 5)
	s.must(s.feed(gatewayDefinitions(t), "crds", "apply"))
	came := time.Now()
	s.admitted(t, "/apis/gateway.networking.k8s.io/v1/gatewayclasses", gatewayClass)
	s.admitted(t, "/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways", gateway)
	s.admitted(t, "/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes", route)
	programmed := map[string]any{"class": "race", "namespace": "default", "name": "race", "listeners": []string{"http"}}
	s.refused(t, s.gate(hosts, "gateway", programmed, 2*time.Second), "nobody has looked at it", "before the Gateway API CRDs")
	ingress := s.traefikAddress(t)
	assert.Equal(t, http.StatusNotFound, asked(t, ingress, "hello.test"), "it runs, and does not serve the route")
	s.available(t, "race", "traefik")
	s.must(s.gate(hosts, "gateway", programmed, 2*time.Minute))
	t.Logf("Traefik looks at the Gateway %s after the definitions came", time.Since(came).Round(time.Second))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, http.StatusOK, asked(c, ingress, "hello.test"))
	}, 30*time.Second, 200*time.Millisecond)
}

// hasTriedFor waits until Traefik has failed to list a kind some times, which makes the pause before its next try long.
func (s *stack) hasTriedFor(t *testing.T, kind string, times int) {
	pods, err := s.client().CoreV1().Pods("race").List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=traefik"})
	require.NoError(t, err)
	require.Len(t, pods.Items, 1)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		log, err := s.client().CoreV1().Pods("race").GetLogs(pods.Items[0].Name, &corev1.PodLogOptions{}).DoRaw(context.Background())
		require.NoError(c, err)
		require.GreaterOrEqual(c, strings.Count(string(log), "failed to list *v1."+kind+":"), times, "%s", log)
	}, 2*time.Minute, 500*time.Millisecond)
}

func (s *stack) traefikAddress(t *testing.T) string {
	service, err := s.client().CoreV1().Services("race").Get(t.Context(), "traefik", metav1.GetOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, service.Status.LoadBalancer.Ingress)
	return service.Status.LoadBalancer.Ingress[0].IP
}

// asked is the answer's code to a request for a host name at an address.
func asked(t require.TestingT, address, host string) int {
	request, err := http.NewRequest(http.MethodGet, "http://"+address+"/", nil)
	require.NoError(t, err)
	request.Host = host
	response, err := (&http.Client{Timeout: 5 * time.Second}).Do(request)
	require.NoError(t, err)
	_ = response.Body.Close()
	return response.StatusCode
}

// gatewayDefinitions is what `strata crds` is asked for the bundle's own.
func gatewayDefinitions(t *testing.T) map[string]any {
	files, err := filepath.Glob(filepath.Join(bundle, "crds/gateway-api-*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(files[0]), "gateway-api-"), ".yaml")
	return map[string]any{"name": "gateway-api", "version": version, "file": files[0], "sha256": sumOf(t, files[0]), "timeout": "1m"}
}

// admitted creates an object as soon as it is let in: the program without gates has nothing that waits for the webhook either.
func (s *stack) admitted(t *testing.T, path, text string) {
	body, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	client := s.client().RESTClient()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, err := client.Post().AbsPath(path).Body(body).DoRaw(context.Background())
		require.NoError(c, err)
	}, time.Minute, 200*time.Millisecond)
}

// takeAway deletes what the story itself has made; the Gateway's kinds go with their definitions.
func (s *stack) takeAway(t *testing.T) {
	client := s.client()
	require.NoError(t, client.AppsV1().Deployments("default").Delete(t.Context(), "hello", metav1.DeleteOptions{}))
	require.NoError(t, client.CoreV1().Services("default").Delete(t.Context(), "hello", metav1.DeleteOptions{}))
	s.must(s.feed(gatewayDefinitions(t), "crds", "remove"))
}

// What somebody adds after the ups of the silent races.
const (
	racePool = `{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: race, namespace: race}, spec: {addresses: [%s]}}`

	advertisement = `{apiVersion: metallb.io/v1beta1, kind: L2Advertisement, metadata: {name: race, namespace: race}}`

	gatewayClass = `{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: race}, spec: {controllerName: traefik.io/gateway-controller}}`

	gateway = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: race, namespace: default}
spec: {gatewayClassName: race, listeners: [{name: http, protocol: HTTP, port: 8000}]}
`
	route = `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: race, namespace: default}
spec:
  parentRefs: [{name: race}]
  hostnames: [hello.test]
  rules: [{backendRefs: [{name: hello, port: 80}]}]
`
)
