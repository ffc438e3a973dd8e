package conformance_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

// controllerVariable names the environment variable with the path of APISIX's ingress controller.
const controllerVariable = "APISIX_CONTROLLER"

// statusTable is the table of statuses, whose format the test of the lab's stand-in defines.
type statusTable struct {
	Objects []map[string]any
	Rows    []statusRow
}

type statusRow struct {
	Keeps, Source, Of string
	Without           []string
	Instead           []map[string]any
	Status            map[string]any
}

// objects returns a row's objects in the order of creation. The order matters, because the
// controller reads a route again when the EndpointSlices of its Services change, but not when a
// Service is created.
func (r statusRow) objects(all []map[string]any) []map[string]any {
	key := func(one map[string]any) string {
		o := unstructured.Unstructured{Object: one}
		return o.GetKind() + "/" + o.GetName()
	}
	var made []map[string]any
	for _, one := range all {
		for _, other := range r.Instead {
			if key(other) == key(one) {
				one = other
			}
		}
		if !slices.Contains(r.Without, key(one)) {
			made = append(made, one)
		}
	}
	return made
}

// statusKinds maps the kinds in statuses.yaml to their resources.
var statusKinds = map[string]schema.GroupVersionResource{
	"GatewayClass": gatewayAPI("gatewayclasses"), "Gateway": gatewayAPI("gateways"),
	"HTTPRoute":          gatewayAPI("httproutes"),
	"GatewayProxy":       apisixAPI("v1alpha1", "gatewayproxies"),
	"Consumer":           apisixAPI("v1alpha1", "consumers"),
	"ApisixRoute":        apisixAPI("v2", "apisixroutes"),
	"ApisixPluginConfig": apisixAPI("v2", "apisixpluginconfigs"),
	"ApisixTls":          apisixAPI("v2", "apisixtlses"),
	"IngressClass":       {Group: "networking.k8s.io", Version: "v1", Resource: "ingressclasses"},
	"Service":            services, "Secret": secrets,
	"EndpointSlice": {Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"},
}

func gatewayAPI(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1",
		Resource: resource}
}

func apisixAPI(version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apisix.apache.org", Version: version,
		Resource: resource}
}

// The upstream controller must write the statuses that the test of the stand-in requires.
func TestUpstreamControllerWritesSameStatusesAsStandIn(t *testing.T) {
	binary := os.Getenv(controllerVariable)
	if binary == "" {
		t.Skipf("the original's statuses were not checked: %s names no binary", controllerVariable)
	}
	text, err := os.ReadFile("../lab/tools/apisix/controller/testdata/statuses.yaml")
	require.NoError(t, err)
	var table statusTable
	require.NoError(t, yaml.UnmarshalStrict(text, &table))
	s := statusWorld{t: t, client: administrator(t)}
	for _, artifact := range []string{"gateway-api-crds", "apisix-crds"} {
		s.define(artifact)
	}
	for _, namespace := range []string{"apisix", "demo"} {
		_, err := s.client.Resource(namespaces).
			Create(t.Context(), object("v1", "Namespace", namespace, nil), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	startController(t, binary)
	for _, row := range table.Rows {
		t.Run(row.Keeps, func(t *testing.T) {
			made := row.objects(table.Objects)
			s.t = t
			s.create(made)
			s.expect(row.Of, row.Source, row.Status)
			s.remove(made)
		})
	}
}

// administrator returns a client of the control plane with all rights.
func administrator(t *testing.T) dynamic.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", controlPlane(t).Kubeconfig)
	require.NoError(t, err)
	config.QPS, config.Burst = 100, 200
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// startController runs the controller until the test ends, with an ADC that accepts every request.
func startController(t *testing.T, binary string) {
	t.Helper()
	adc := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":"success"}`)
	}))
	t.Cleanup(adc.Close)
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	require.NoError(t,
		os.WriteFile(file,
			[]byte(
				`{metrics_addr: "0", probe_addr: "0", leader_election: {disable: true}, provider: {type: apisix-standalone}}`), 0o600))
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), binary, "-c", file)
	command.Env = append(os.Environ(), "KUBECONFIG="+controlPlane(t).Kubeconfig,
		"ADC_SERVER_URL="+adc.URL)
	command.Stdout, command.Stderr = log, log
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Wait() // the end of the test kills it
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the controller said:\n%s", text)
		}
	})
}
