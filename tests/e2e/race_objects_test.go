package e2e

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// importImages imports images that the stack does not use into a host.
func (l *hostSet) importImages(t *testing.T, name string, archives ...string) {
	for _, archive := range archives {
		l.importArchive(t, name, filepath.Join(bundle, "images", archive+".tar.zst"))
	}
}

// importArchive imports the image of an archive into a host, with the flags of `kind load
// image-archive` (kind's pkg/cluster/nodeutils/util.go, LoadImageArchive).
func (l *hostSet) importArchive(t *testing.T, name, archive string) {
	file, err := os.Open(archive)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	cmd := exec.Command(lab, "machines", "exec", l.machine(name), "--",
		"k3s", "ctr", "--namespace", "k8s.io", "images", "import", "--all-platforms",
		"--digests", "-")
	cmd.Stdin = file
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", archive, output)
}

// available waits until Kubernetes reports a Deployment available.
func (s *stack) available(t *testing.T, namespace, name string) {
	deployments := s.client().AppsV1().Deployments(namespace)
	eventually(t, func(c require.TestingT) {
		d, err := deployments.Get(context.Background(), name, metav1.GetOptions{})
		require.NoError(c, err)
		require.Equal(c, int32(1), d.Status.AvailableReplicas, "%s/%s", namespace, name)
	})
}

func (s *stack) traefikAddress(t *testing.T) string {
	service, err := s.client().CoreV1().Services("race").Get(t.Context(), "traefik",
		metav1.GetOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, service.Status.LoadBalancer.Ingress)
	return service.Status.LoadBalancer.Ingress[0].IP
}

// requestStatus returns the HTTP status of a request to an address with a host name.
func requestStatus(t require.TestingT, address, host string) int {
	request, err := http.NewRequest(http.MethodGet, "http://"+address+"/", nil)
	require.NoError(t, err)
	request.Host = host
	response, err := (&http.Client{Timeout: 30 * time.Second}).Do(request)
	require.NoError(t, err)
	_ = response.Body.Close()
	return response.StatusCode
}

// gatewayDefinitions returns the input of `strata crds` for the bundle's Gateway API CRDs.
func gatewayDefinitions(t *testing.T) map[string]any {
	files, err := filepath.Glob(filepath.Join(bundle, "crds/gateway-api-*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(files[0]), "gateway-api-"),
		".yaml")
	return map[string]any{"name": "gateway-api", "version": version, "file": files[0],
		"sha256": sumOf(t, files[0]), "timeout": "1m"}
}

// admitted creates an object, and retries until the webhook admits it. The program without gates
// does not wait for the webhook.
func (s *stack) admitted(t *testing.T, path, text string) {
	body, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	client := s.client().RESTClient()
	eventually(t, func(c require.TestingT) {
		_, err := client.Post().AbsPath(path).Body(body).DoRaw(context.Background())
		require.NoError(c, err)
	})
}

// takeAway deletes the story's objects. Objects of the Gateway API are deleted with their CRDs.
func (s *stack) takeAway(t *testing.T) {
	client := s.client()
	require.NoError(t, client.AppsV1().Deployments("default").Delete(t.Context(), "hello",
		metav1.DeleteOptions{}))
	require.NoError(t, client.CoreV1().Services("default").Delete(t.Context(), "hello",
		metav1.DeleteOptions{}))
	s.must(s.feed(gatewayDefinitions(t), "crds", "remove"))
}

// The story creates these objects after the update of the silent race, as a user would.
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
