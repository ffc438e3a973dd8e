package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// served is an ingress controller with the gates that check its Gateway's listeners and the URLs
// behind it.
type served struct {
	controller string
	values     []string
	gates      []string
}

var (
	behindTraefik = served{"traefik", []string{"values"},
		[]string{"traefik-programmed", "traefik-dashboard", "argocd-server",
			"workload-shop-traefik"}}
	behindAPISIX = served{"apisix", []string{"values", "controllerValues"}, []string{
		"apisix-gateway-gate", "validation-routes", "validation-probes", "workload-shop-apisix",
		"workload-shop-apisix-upstreams",
	}}
)

func (s served) program(t *testing.T) *program {
	t.Helper()
	if s.controller == "traefik" {
		return withWorkload(t, map[string]any{"canary": map[string]any{},
			"routes": []any{map[string]any{}}})
	}
	p := newProgram(t, "local")
	p.set(t, "apps", map[string]any{"demo": true, "workloads": []any{
		shop(map[string]any{"canary": map[string]any{},
			"routes": []any{map[string]any{"controller": "apisix", "kind": "HTTPRoute"}}}),
	}})
	return p
}

// Values can block all requests while the Pods stay ready, for example Traefik's
// ports.websecure.http.middlewares or APISIX's nginx snippets. So after a change, the gates must
// request the URLs again, once the Pods with the old values have ended.
func TestChangedIngressValuesRunURLGatesAgain(t *testing.T) {
	for _, s := range []served{behindTraefik, behindAPISIX} {
		for _, key := range s.values {
			t.Run(s.controller+"."+key, func(t *testing.T) { s.isAskedAgain(t, key) })
		}
	}
}

func (s served) isAskedAgain(t *testing.T, key string) {
	t.Helper()
	p := s.program(t)
	rollout := s.controller + "-rollout"
	before := p.graph(t)
	p.set(t, s.controller, section{key: section{"podAnnotations": section{"example.com/at": "1"}}})
	first := p.graph(t)
	p.set(t, s.controller, section{key: section{"podAnnotations": section{"example.com/at": "2"}}})
	second := p.graph(t)
	for _, gate := range s.gates {
		require.NotEmpty(t, before[gate].Name, gate)
		assert.NotEqual(t, before[gate].Text("stdin"), first[gate].Text("stdin"),
			"%s runs again with values", gate)
		assert.NotEqual(t, first[gate].Text("stdin"), second[gate].Text("stdin"),
			"%s runs again with other values", gate)
		assert.True(t, second.reaches(gate, rollout), "%s asks the new Pods", gate)
	}
	p.set(t, s.controller, section{})
	after := p.graph(t)
	assert.Empty(t, changedIn(before, after), "and without them everything is what it was")
	for _, gate := range s.gates {
		assert.Equal(t, before.reaches(gate, rollout), after.reaches(gate, rollout),
			"%s: a stack without values has no edge for them", gate)
	}
}

// Changed values of an ingress controller must not start the canary of an application again.
func TestChangedTraefikValuesStartNoCanary(t *testing.T) {
	p := withWorkload(t, map[string]any{"canary": map[string]any{},
		"routes": []any{map[string]any{}}})
	before := p.graph(t)
	p.set(t, "traefik", section{"values": section{"log": section{"level": "DEBUG"}}})
	assert.ElementsMatch(t,
		append([]string{"traefik-release", "traefik-rollout", "traefik-address"},
			behindTraefik.gates...),
		changedIn(before, p.graph(t)))
}

// A Pod of Argo CD with the old values may still answer, so its URL is requested after its rollout.
func TestArgoCDURLGateWaitsForRolloutOfChangedValues(t *testing.T) {
	p := newProgram(t, "staging")
	assert.False(t, p.graph(t).reaches("argocd-server", "argocd-rollout"))
	p.set(t, "argocd", section{"values": section{"dex": section{"enabled": true}}})
	assert.True(t, p.graph(t).reaches("argocd-server", "argocd-rollout"))
}
