package gates_test

import (
	"strings"
	"testing"
	"time"

	"strata/health"
	"strata/health/gateway"
	"strata/tests/gates/fakeapi"
)

const gatewayText = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: traefik, generation: {{.classGeneration}}}
spec: {controllerName: traefik.io/gateway-controller}
status: {conditions: [{type: Accepted, status: "{{.class}}", reason: {{.classReason}}, observedGeneration: {{.classObserved}}}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: traefik-gateway, namespace: traefik, generation: {{.generation}}}
spec: {gatewayClassName: traefik, listeners: [{name: web}, {name: websecure}]}
{{if .status}}status:
  conditions:
    - {type: Accepted, status: "True", reason: Accepted, observedGeneration: 2}
    - {type: Programmed, status: "{{.programmed}}", reason: AddressNotAssigned, observedGeneration: 2}
  listeners:
    - name: web
      conditions: [{type: Programmed, status: "True", observedGeneration: 2}]
    - name: websecure
      conditions:
        - {type: Programmed, status: "True", observedGeneration: {{.listenerObserved}}}
        - {type: ResolvedRefs, status: "{{.resolved}}", reason: InvalidCertificateRef, message: no Secret, observedGeneration: 2}
{{end}}
`

func gatewayObjects(t testing.TB, values map[string]any) string {
	t.Helper()
	all := map[string]any{
		"class": "True", "classReason": "Accepted", "classGeneration": 1, "classObserved": 1,
		"generation": 2, "status": true,
		"programmed": "True", "listenerObserved": 2, "resolved": "True",
	}
	for key, value := range values {
		all[key] = value
	}
	return object(t, gatewayText, all)
}

func TestGatewayGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name   string
		values map[string]any
		says   string
	}{
		{"the controller started before the CRDs",
			map[string]any{"class": "Unknown", "classReason": "Waiting", "classObserved": 0,
				"status": false},
			"or it started before the Gateway API CRDs"},
		{"the Gateway is not reconciled", map[string]any{"status": false},
			"not reconciled yet: no status"},
		{"the class is accepted of an earlier generation", map[string]any{"classGeneration": 2},
			"Accepted is True of generation 1, expected generation 2"},
		{"the Gateway is programmed of an earlier generation", map[string]any{"generation": 3},
			"Accepted is True of generation 2, expected generation 3"},
		{"not programmed", map[string]any{"programmed": "False"}, "its Service has no address yet"},
		{"a listener without its certificate", map[string]any{"resolved": "False"},
			"listener websecure: ResolvedRefs is False: InvalidCertificateRef, no Secret (the " +
				"Secret of a certificateRef is missing"},
		{"a listener of an earlier generation", map[string]any{"listenerObserved": 1},
			"listener websecure: Programmed is True of generation 1"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 2)
			c.Serve(gatewayGroup+"/v1", "GatewayClass", fakeapi.Resource{Plural: "gatewayclasses"})
			c.Serve(gatewayGroup+"/v1", "Gateway",
				fakeapi.Resource{Plural: "gateways", Namespaced: true})
			c.PutAll(gatewayObjects(t, fault.values))
			gate := start(t, c, health.Spec{Servers: c.URLs(), Body: gateway.Spec{
				Class: "traefik", Namespace: "traefik", Name: "traefik-gateway",
				Listeners: []string{"web", "websecure"},
			}})
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			c.PutAll(gatewayObjects(t, nil))
			gate.opens()
		})
	}
}

func TestGatewayGateWaitsForRoutes(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.Serve(gatewayGroup+"/v1", "GatewayClass", fakeapi.Resource{Plural: "gatewayclasses"})
	c.Serve(gatewayGroup+"/v1", "Gateway", fakeapi.Resource{Plural: "gateways", Namespaced: true})
	c.PutAll(gatewayObjects(t, nil))
	gate := start(t, c, health.Spec{Servers: c.URLs(), Body: gateway.Spec{
		Class: "traefik", Namespace: "traefik", Name: "traefik-gateway", Listeners: []string{"web"},
		Routes: map[string]int{"web": 1},
	}})
	gate.says("expected at least 1 attached routes, found 0")
	gate.stays(300 * time.Millisecond)
	c.PutAll(strings.Replace(gatewayObjects(t, nil), "- name: web\n",
		"- name: web\n      attachedRoutes: 1\n", 1))
	gate.opens()
}
