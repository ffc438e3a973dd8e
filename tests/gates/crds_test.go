package gates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/crds"
	"strata/tests/gates/fakeapi"
)

const crdText = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: {{.plural}}.{{.group}}{{if .deleting}}, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [customresourcecleanup.apiextensions.k8s.io]{{end}}}
spec:
  group: {{.group}}
  names: {plural: {{.plural}}, kind: {{.kind}}}
  versions: [{name: v1, served: true, storage: true}, {name: v1alpha1, served: false, storage: false}]
status:
  acceptedNames: { {{- if eq .accepted "True"}}plural: {{.plural}}, kind: {{.kind}}{{end -}} }
  conditions:
    - {type: NamesAccepted, status: "{{.accepted}}", reason: R, message: '"{{.kind}}" is already in use'}
    - {type: Established, status: "{{.established}}", reason: R, message: m}
`

const gatewayGroup = "gateway.networking.k8s.io"

func crd(t testing.TB, plural, kind string, values map[string]any) string {
	t.Helper()
	all := map[string]any{"group": gatewayGroup, "plural": plural, "kind": kind, "accepted": "True",
		"established": "True", "deleting": false}
	for key, value := range values {
		all[key] = value
	}
	return object(t, crdText, all)
}

func crdsSpec(c *fakeapi.Cluster) health.Spec {
	return health.Spec{Servers: c.URLs(),
		Body: crds.Spec{Names: []string{"gateways." + gatewayGroup, "httproutes." + gatewayGroup}}}
}

// establish adds both CRDs as established, and makes every API server serve them.
func establish(t testing.TB, c *fakeapi.Cluster) {
	t.Helper()
	c.Put(crd(t, "gateways", "Gateway", nil))
	c.Put(crd(t, "httproutes", "HTTPRoute", nil))
	c.Serve(gatewayGroup+"/v1", "Gateway", fakeapi.Resource{Plural: "gateways", Namespaced: true})
	c.Serve(gatewayGroup+"/v1", "HTTPRoute",
		fakeapi.Resource{Plural: "httproutes", Namespaced: true})
	for _, server := range c.Servers {
		server.Script(fakeapi.Script{})
	}
}

func TestCRDsGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name  string
		spoil func(*fakeapi.Cluster)
		says  string
	}{
		{"one does not exist", func(c *fakeapi.Cluster) {
			c.Delete("apiextensions.k8s.io/v1", "customresourcedefinitions", "",
				"httproutes."+gatewayGroup)
		}, "crd httproutes.gateway.networking.k8s.io: does not exist"},
		{"one is not established", func(c *fakeapi.Cluster) {
			c.Put(crd(t, "gateways", "Gateway", map[string]any{"established": "False"}))
		}, "not established"},
		{"one is terminating", func(c *fakeapi.Cluster) {
			c.Put(crd(t, "gateways", "Gateway", map[string]any{"deleting": true}))
		}, "its objects are deleted first"},
		{"one API server does not serve them", func(c *fakeapi.Cluster) {
			c.Servers[1].Script(fakeapi.Script{Unknown: []string{gatewayGroup + "/v1"}})
		}, "does not serve gateway.networking.k8s.io/v1 gateways"},
		{"one API server does not list them for clients", func(c *fakeapi.Cluster) {
			c.Servers[1].Script(fakeapi.Script{Unlisted: []string{gatewayGroup + "/v1"}})
		}, "has not caught up"},
		{"one API server is starting", func(c *fakeapi.Cluster) {
			c.Servers[1].Script(fakeapi.Script{Unavailable: true})
		}, "gave no usable answer"},
		{"a name was held by a CRD that has gone", func(c *fakeapi.Cluster) {
			c.Put(crd(t, "gateways", "Gateway", map[string]any{"accepted": "False"}))
		}, "its names are not accepted"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 2)
			establish(t, c)
			fault.spoil(c)
			gate := start(t, c, crdsSpec(c))
			gate.says(fault.says)
			gate.stays(200 * time.Millisecond)
			establish(t, c)
			gate.opens()
		})
	}
}

func TestCRDsGateOpensOnceStoppedServerRestarts(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 2)
	establish(t, c)
	c.Servers[0].Stop()
	gate := start(t, c, crdsSpec(c))
	gate.says("refuses connections")
	c.Servers[0].Start()
	assert.Len(t, gate.opens().Checks, 4)
}

func TestCRDsGateNamesCRDThatHoldsConflictingName(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	establish(t, c)
	c.Put(crd(t, "oldgateways", "Gateway", nil))
	c.Put(crd(t, "gateways", "Gateway", map[string]any{"accepted": "False"}))
	result := start(t, c, crdsSpec(c)).sticks(lag)
	assert.Contains(t, causes(result), "CRD oldgateways.gateway.networking.k8s.io holds one of the names")
}
