package gateway

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/healthtest"
	"strata/health/kube"
)

func TestGatewayVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "gateway", judgeGateway)
}

func TestGatewayFactsHaveConditionsOfClassAndListeners(t *testing.T) {
	class := healthtest.Decode[classObject](t, `
metadata: {generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z"}
spec: {controllerName: c}
status: {conditions: [{type: Accepted, status: "True", observedGeneration: 1}]}
`)
	assert.Equal(t, classSeen{Deleting: true, Generation: 2, Controller: "c",
		Accepted: kube.Condition{Type: "Accepted", Status: "True", ObservedGeneration: 1}},
		class.facts())
	assert.Equal(t, classSeen{Missing: true}, (*classObject)(nil).facts())
	assert.False(t, (&classObject{}).facts().Deleting)
	gateway := healthtest.Decode[gatewayObject](t, `
metadata: {generation: 3, deletionTimestamp: "2026-01-01T00:00:00Z"}
spec: {gatewayClassName: c, listeners: [{name: web}, {name: tls}]}
status:
  conditions: [{type: Programmed, status: "True"}, {type: Accepted, status: "False"}]
  listeners: [{name: tls, conditions: [{type: Accepted, status: "True"}]}, {name: gone}]
`)
	assert.Equal(t, gatewaySeen{
		Deleting: true, Generation: 3, Class: "c",
		Accepted:   kube.Condition{Type: "Accepted", Status: "False"},
		Programmed: kube.Condition{Type: "Programmed", Status: "True"},
		Listeners: []listenerSeen{{Name: "web"},
			{Name: "tls", Reported: true,
				Conditions: []kube.Condition{{Type: "Accepted", Status: "True"}}}},
	}, gateway.facts())
	assert.Equal(t, gatewaySeen{Missing: true}, (*gatewayObject)(nil).facts())
	assert.False(t, (&gatewayObject{}).facts().Deleting)
}

func TestGatewaySpecErrorsNameFields(t *testing.T) {
	good := Spec{Class: "c", Namespace: "n", Name: "g", Listeners: []string{"web"}}
	check := func(change func(*Spec)) error {
		spec := good
		change(&spec)
		return healthtest.Valid(spec).Validate()
	}
	require.NoError(t, check(func(*Spec) {}))
	require.ErrorContains(t, check(func(s *Spec) { s.Class = "" }), "class, namespace or name")
	require.ErrorContains(t, check(func(s *Spec) { s.Namespace = "" }), "class, namespace or name")
	require.ErrorContains(t, check(func(s *Spec) { s.Name = "" }), "class, namespace or name")
	require.ErrorContains(t, check(func(s *Spec) { s.Listeners = nil }), "gateway.listeners")
	require.ErrorContains(t, check(func(s *Spec) { s.Listeners = []string{""} }),
		"gateway.listeners")
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(),
		"gateway: missing")
}
