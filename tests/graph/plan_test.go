package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// planRow is one row of the dependency tables of APISIX's demo. It names dependencies that the
// graph must have, or must not have, because the resource recovers by itself and a dependency would
// only add a wait.
type planRow struct {
	// section and row name the dependency. missing describes the fault without it.
	section, row, missing string
	// waits are dependencies that the graph must have, and free those that it must not have.
	waits, free []need
	note        string
}

const (
	missingTable = "Missing Dependencies"
	critical     = "Critical Dependencies"
	defensive    = "Defensive Dependencies"
	risks        = "Risk Assessment"
	// internals is the section of dependencies within charts and controllers.
	internals = "Charts and Controllers"
)

// each returns the dependencies of each resource on each of the others.
func each(from []string, to ...string) []need {
	var needs []need
	for _, name := range from {
		for _, other := range to {
			needs = append(needs, need{name, other})
		}
	}
	return needs
}

// planRows returns the rows for a graph, with those of charts and controllers last.
func planRows(g graph) []planRow { //nolint:funlen // a table of cases
	// of returns the resources of some kinds. A kind that ends with a slash is a whole API group.
	of := func(kinds ...string) []string {
		return g.where(func(r pulumitest.Resource) bool {
			kind := strings.TrimPrefix(r.Type, "kubernetes:")
			return slices.ContainsFunc(kinds, func(want string) bool {
				return kind == want || strings.HasSuffix(want, "/") && strings.HasPrefix(kind, want)
			})
		})
	}
	const gateways, kinds, certificates = "gateway.networking.k8s.io/", "apisix.apache.org/", "cert-manager.io/"
	objects := slices.DeleteFunc(onAPISIX(g),
		func(name string) bool { return !strings.HasPrefix(g[name].Type, "kubernetes:") })
	routes := of(gateways + "v1:HTTPRoute")
	apisixRoutes := of(kinds + "v2:ApisixRoute")
	return append([]planRow{
		{missingTable, "Certificate", "CRD not established", each(of(certificates+"v1:Certificate"),
			"cert-manager-release"), nil, ""},
		{missingTable, "Certificate", "Webhook not ready", each(of(certificates+"v1:Certificate"),
			"cert-manager-api"), nil, ""},
		{missingTable, "Gateway", "Secret not found", nil,
			each([]string{"apisix-gateway", "apisix-certificate"}, "apisix-tls-request",
				"apisix-tls-gate"), ""},
		{missingTable, "HTTPRoute", "Backend service missing", nil, []need{
			{"demo-httpbin-route", "demo-httpbin-service"}, {"demo-keycloak-route", "demo-keycloak-service"},
		}, ""},
		{missingTable, "HTTPRoute", "Gateway missing", nil, each(routes, "apisix-gateway"), ""},
		{missingTable, "ApisixRoute", "Controller not ready", nil,
			each(apisixRoutes, "apisix-rollout", "apisix-gateway", "apisix-gateway-gate"),
			"Of the controller it waits for the webhook only."},

		{critical, "CRD Installation: Issuer, Certificate", "cert-manager CRDs",
			each(of(certificates), "cert-manager-release"), nil, ""},
		{critical, "CRD Installation: ApisixTls, ApisixRoute, ApisixPluginConfig, Consumer",
			"APISIX CRDs", each(of(kinds), "crds-apisix-gate"), nil, ""},
		{critical, "CRD Installation: GatewayClass, Gateway, HTTPRoute", "Gateway API CRDs",
			each(of(gateways), "crds-gateway-api-gate"), nil, ""},
		{critical, "Webhook Readiness: Issuer, Certificate", "cert-manager-webhook",
			each(of(certificates), "cert-manager-api"), nil, ""},
		{critical, "Webhook Readiness: GatewayProxy, ApisixRoute, etc.", "apisix-ingress-controller-webhook",
			each(slices.Concat(of(kinds), routes, of(gateways+"v1:Gateway"),
				of("networking.k8s.io/v1:IngressClass")), "apisix-webhook"), nil,
			"GatewayClass is not one of the webhook's kinds."},
		{critical, "Control Plane Nodes: Everything", "the cluster", each(objects, "k3s-api"),
			each(objects, "k3s-nodes"),
			"The API of every server, and no agent: Pods wait for nodes by themselves ([ADR " +
				"0006](adr/0006-metallb-starts-at-the-api-gate.md))."},

		{defensive, "Deployment Rollouts", "data plane, httpbin, Keycloak, go-rest", nil,
			each(objects, "apisix-rollout", "validation-rollout"), ""},
		{defensive, "TLS Secret Creation", "Certificate, Secret", nil, each(objects, "apisix-tls-gate"), ""},
		{defensive, "Gateway Conditions", "Accepted, route attachment", nil,
			each(objects, "apisix-gateway-gate", "validation-routes"), ""},
		{defensive, "Backend Services", "httpbin", nil,
			each([]string{"demo-httpbin-route", "demo-login-route"}, "demo-httpbin",
				"demo-httpbin-service"), ""},

		{risks, "CRD Timing", "CRDs", []need{{"apisix-controller-release", "crds-apisix-gate"},
			{"apisix-controller-release", "crds-gateway-api-gate"}}, nil,
			"The controller waits itself: it lists the kinds once, at its start."},
		{risks, "Webhook Unavailable", "webhook", []need{{"apisix-webhook", "apisix-controller-release"}}, nil, ""},
		{risks, "Resource Dependencies", "plugin config before its consumer", []need{
			{"demo-rest-route", "demo-rest-plugins"}, {"demo-login-route", "demo-login-plugins"},
			{"demo-login-route", "demo-login"},
		}, []need{
			{"demo-rest-plugins", "demo-rest-consumer"}, {"demo-rest-route", "demo-rest-consumer"},
			{"demo-rest-consumer", "demo-rest-key"},
		}, "A route is refused without the plugin configuration that it names and that one's " +
			"Secret: since 2.1.0 the webhook has the data plane validate it."},
		{risks, "Gateway Not Programmed", "Secret", nil, []need{{"apisix-gateway", "apisix-tls-request"}}, ""},
	}, internalRows()...)
}

// internalRows returns the rows for dependencies within charts and controllers.
func internalRows() []planRow {
	return []planRow{
		{internals, "data plane", "the Secret that its Pods read", []need{{"apisix-release", "apisix-keys"}}, nil, ""},
		{internals, "Gateway", "the GatewayProxy that it names", []need{{"apisix-gateway", "apisix-proxy"}}, nil, ""},
		{internals, "IngressClass", "the GatewayProxy that it names, with the data plane's Service", []need{
			{"apisix-ingress-class", "apisix-proxy"}, {"apisix-proxy", "apisix-release"},
			{"apisix-proxy", "apisix-keys"},
		}, nil, "The webhook refuses an object of an existing class whose data plane does not " +
			"exist; it admits an object without a class."},
		{internals, "GatewayClass", "the controller that removes its finalizer, as long as there is a Gateway", []need{
			{"apisix-gateway", "apisix-class-release"}, {"apisix-class-release",
				"apisix-gateway-class"}, {"apisix-gateway-class", "apisix-controller-release"},
		}, nil, "For the destroy, which goes against the edges."},
		{internals, "data plane", "a configuration, and an address", nil, []need{
			{"apisix-release", "apisix-webhook"}, {"apisix-gateway", "apisix-rollout"},
			{"apisix-release", "metallb-pool-gate"},
		}, ""},
		{internals, "Certificate", "its issuer", nil, []need{{"apisix-tls-request", "ca-root-issuer"}}, ""},
		{internals, "controller", "cert-manager", nil,
			each([]string{"apisix-controller-release", "apisix-webhook"}, "cert-manager-api"), ""},
		{internals, "applications", "any webhook, and each other", nil, slices.Concat(
			each([]string{"demo-httpbin", "demo-keycloak", "demo-go-rest"}, "apisix-webhook", "cert-manager-api"),
			[]need{{"demo-login-route", "demo-keycloak"}}), ""},
	}
}

// broken returns the dependencies that violate a row.
func (r planRow) broken(g graph) []string {
	var wrong []string
	for _, one := range r.waits {
		if !g.reaches(one.from, one.to) {
			wrong = append(wrong, fmt.Sprintf("%s must wait for %s", one.from, one.to))
		}
	}
	for _, one := range r.free {
		if path := g.path(one.from, one.to); path != nil {
			wrong = append(wrong, fmt.Sprintf("%s heals, and waits for %s: %v", one.from, one.to, path))
		}
	}
	return wrong
}

func TestDemoGraphKeepsEachRowOfDependencyTables(t *testing.T) {
	g := withAPISIX(t, "full").graph(t)
	for _, row := range planRows(g) {
		t.Run(row.section+"/"+row.row+"/"+row.missing, func(t *testing.T) {
			require.NotEmpty(t, slices.Concat(row.waits, row.free))
			for _, one := range slices.Concat(row.waits, row.free) {
				require.Contains(t, g, one.from)
				require.Contains(t, g, one.to)
			}
			assert.Empty(t, row.broken(g))
		})
	}
}

// Each row must detect that its first dependency is missing, or that a forbidden one exists.
func TestEachDependencyRowDetectsBrokenGraph(t *testing.T) {
	g := withAPISIX(t, "full").graph(t)
	for _, row := range planRows(g) {
		mutant := g.clone()
		if len(row.waits) > 0 {
			lost := mutant[row.waits[0].from]
			lost.Dependencies = nil
			mutant[lost.Name] = lost
		} else {
			bound := mutant[row.free[0].from]
			bound.Dependencies = append(bound.Dependencies, row.free[0].to)
			mutant[bound.Name] = bound
		}
		assert.NotEmpty(t, row.broken(mutant), "%s: %s", row.section, row.row)
	}
}

// planPage returns the table of the demo's dependencies for docs/edges.md.
func planPage(g graph) string {
	var page strings.Builder
	page.WriteString("\n## The demo on APISIX\n\n" +
		"The same for APISIX with `apps.demo: true`. A critical dependency waits. A defensive one heals by\n" +
		"itself, and must not wait. `tests/graph/plan_test.go` holds each row.\n\n" +
		"| section | what | is missing | here |\n| --- | --- | --- | --- |\n")
	for _, row := range planRows(g) {
		var cells []string
		if len(row.waits) > 0 {
			cells = append(cells, "waits: `"+
				strings.Join(g.path(row.waits[0].from, row.waits[0].to), " ← ")+"`"+more(row.waits))
		}
		if len(row.free) > 0 {
			cells = append(cells, fmt.Sprintf("does not wait: `%s` for `%s`%s", row.free[0].from,
				row.free[0].to, more(row.free)))
		}
		if row.note != "" {
			cells = append(cells, row.note)
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", row.section, row.row, row.missing, strings.Join(cells, "<br>"))
	}
	return page.String()
}

// more returns the number of further dependencies in words.
func more(needs []need) string {
	if len(needs) == 1 {
		return ""
	}
	return fmt.Sprintf(", and %d more", len(needs)-1)
}
