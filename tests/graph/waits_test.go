package graph_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/waitfor"
	"strata/tests/pulumitest"
)

// waits has, by type or by name, how Pulumi waits for the objects in the cluster, or the reason why
// it does not wait. A new object without an entry fails the test.
var waits = map[string]struct {
	expression string
	limit      string
	instead    string
}{
	"kubernetes:core/v1:Namespace": {instead: "a namespace is usable as soon as it is there"},
	"kubernetes:helm.sh/v3:Release": {
		instead: "skipAwait; the layer's own gate looks at what the chart made"},
	"pulumi:providers:kubernetes": {instead: "not an object"},
	"kubernetes:metallb.io/v1beta1:IPAddressPool": {expression: "jsonpath={.status.availableIPv4}",
		limit: "120"},
	"kubernetes:core/v1:Secret": {
		instead: "a Secret is whole as soon as it is there"},
	"kubernetes:cert-manager.io/v1:ClusterIssuer": {expression: "condition=Ready", limit: "240"},
	// Pulumi waits only until conditions exist. The certificate's gate reports why it is not Ready.
	"kubernetes:cert-manager.io/v1:Certificate": {expression: "jsonpath={.status.conditions}",
		limit: "240"},
	"kubernetes:gateway.networking.k8s.io/v1:Gateway": {expression: "condition=Programmed",
		limit: "300"},
	"kubernetes:gateway.networking.k8s.io/v1:HTTPRoute": {
		expression: `["jsonpath={.status.parents[?@.controllerName==\"traefik.io/gateway-controller\"].conditions[?@.type==\"Accepted\"].status}=True",` +
			`"jsonpath={.status.parents[?@.controllerName==\"traefik.io/gateway-controller\"].conditions[?@.type==\"ResolvedRefs\"].status}=True"]`,
		limit: "300",
	},
	"kubernetes:traefik.io/v1alpha1:TLSStore": {
		instead: "Traefik's kinds have no status; the dashboard gate asks for what they make"},
	"kubernetes:traefik.io/v1alpha1:Middleware": {
		instead: "Traefik's kinds have no status; the dashboard gate asks for what they make"},
	"kubernetes:traefik.io/v1alpha1:IngressRoute": {
		instead: "Traefik's kinds have no status; the dashboard gate asks for what they make"},
	"kubernetes:metallb.io/v1beta1:L2Advertisement": {
		instead: "its status is an empty struct; the pool gate asks the speakers"},

	// APISIX's objects and its demo's recover by themselves, so Pulumi does not wait for them. The
	// gates of validation check them all (docs/adr/0011).
	"apisix-gateway": {
		instead: "its Programmed is always True; apisix-gateway-gate looks at Accepted and the listeners"},
	"demo-httpbin-route":  {instead: "a leaf; validation-routes and validation-probes look"},
	"demo-keycloak-route": {instead: "a leaf; validation-routes and validation-probes look"},
	"kubernetes:gateway.networking.k8s.io/v1:GatewayClass": {
		instead: "apisix-gateway-gate looks at it with its Gateway"},
	"kubernetes:networking.k8s.io/v1:IngressClass":  {instead: "it has no status"},
	"kubernetes:networking.k8s.io/v1:NetworkPolicy": {instead: "it has no status"},
	"kubernetes:apisix.apache.org/v1alpha1:GatewayProxy": {
		instead: "it has no status; the Gateway is accepted with it or not at all"},
	"kubernetes:apisix.apache.org/v1alpha1:Consumer": {
		instead: "a leaf; validation-probes sends its key"},
	"kubernetes:apisix.apache.org/v2:ApisixTls": {
		instead: "a leaf; validation-probes checks the chain"},
	"kubernetes:apisix.apache.org/v2:ApisixRoute": {
		instead: "a leaf; validation-probes asks for it"},
	"kubernetes:apisix.apache.org/v2:ApisixPluginConfig": {
		instead: "a leaf; validation-probes is refused, and sent to the login"},
	"kubernetes:apps/v1:Deployment": {instead: "skipAwait; validation-rollout looks"},
	"kubernetes:core/v1:Service":    {instead: "skipAwait; validation-probes goes through it"},
	"kubernetes:core/v1:ConfigMap":  {instead: "a ConfigMap is whole as soon as it is there"},
}

func TestClusterObjectsHaveExpectedWaitAnnotations(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			g := newProgram(t, stack).graph(t)
			objects := g.where(func(r pulumitest.Resource) bool {
				return strings.Contains(r.Type,
					"kubernetes")
			})
			require.NotEmpty(t, objects)
			for _, name := range objects {
				want, known := waits[name]
				if !known {
					want, known = waits[g[name].Type]
				}
				require.True(t, known, "%s (%s): decide what it waits for", name, g[name].Type)
				expression, limit := wait(g[name])
				assert.Equal(t, want.expression, expression, name)
				assert.Equal(t, want.limit, limit, name)
				if group, _, _ := strings.Cut(strings.TrimPrefix(g[name].Type, "kubernetes:"),
					"/"); definedByCRDs(group) {
					assert.Equal(t, "background",
						annotation(g[name], "pulumi.com/deletionPropagationPolicy"),
						"%s: a webhook that is down refuses to let it go", name)
				}
				if expression == "" {
					assert.NotEmpty(t, want.instead, name)
					continue
				}
				for _, part := range parts(t, expression) {
					require.NoError(t, waitfor.Check(part), name)
				}
			}
		})
	}
}

// definedByCRDs reports whether a group is neither one of the API server's own nor Helm's.
func definedByCRDs(group string) bool {
	return strings.Contains(group, ".") && group != "helm.sh" &&
		(group == "gateway.networking.k8s.io" || !strings.HasSuffix(group, ".k8s.io"))
}

// parts returns the expressions of an annotation, which is an expression or a JSON array of
// several.
func parts(t *testing.T, annotation string) []string {
	t.Helper()
	if !strings.HasPrefix(annotation, "[") {
		return []string{annotation}
	}
	var list []string
	require.NoError(t, json.Unmarshal([]byte(annotation), &list))
	return list
}

func TestHelmReleasesSkipAwait(t *testing.T) {
	g := newProgram(t, "local").graph(t)
	for _, name := range g.where(func(r pulumitest.Resource) bool {
		return r.Type == "kubernetes:helm.sh/v3:Release"
	}) {
		skips, _ := g[name].Input("skipAwait")
		assert.True(t, skips.IsBool() && skips.BoolValue(), name)
		gated := g.where(func(r pulumitest.Resource) bool {
			return r.Text("create") == pulumitest.GateCommand && g.reaches(r.Name, name)
		})
		assert.NotEmpty(t, gated, "%s has no gate behind it", name)
	}
}
