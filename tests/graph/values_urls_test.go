package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// behindTraefik are the gates that ask what Traefik serves: its Gateway's listeners, and URLs behind it.
var behindTraefik = []string{"traefik-programmed", "traefik-dashboard", "argocd-server", "workload-shop-traefik"}

// Values of Traefik's can shut out everything while its Pods answer /ping, for example ports.websecure.http.middlewares. So what is served
// is asked again, and not before the Pods of the values before are gone, which would answer in place of the new ones.
func TestAChangeOfTraefiksValuesIsAskedOfWhatItServes(t *testing.T) {
	p := withWorkload(t, map[string]any{"canary": map[string]any{}, "routes": []any{map[string]any{}}})
	before := p.graph(t)
	p.set(t, "traefik", section{"values": section{"log": section{"level": "DEBUG"}}})
	first := p.graph(t)
	p.set(t, "traefik", section{"values": section{"log": section{"level": "INFO"}}})
	second := p.graph(t)
	for _, gate := range behindTraefik {
		require.NotEmpty(t, before[gate].Name, gate)
		assert.NotEqual(t, before[gate].Text("stdin"), first[gate].Text("stdin"), "%s runs again with values", gate)
		assert.NotEqual(t, first[gate].Text("stdin"), second[gate].Text("stdin"), "%s runs again with other values", gate)
		assert.True(t, second.reaches(gate, "traefik-rollout"), "%s asks the new Pods", gate)
	}
	p.set(t, "traefik", section{})
	after := p.graph(t)
	assert.Empty(t, changedIn(before, after), "and without them everything is what it was")
	for _, gate := range behindTraefik {
		assert.False(t, after.reaches(gate, "traefik-rollout"), "%s: a stack without values has no edge for them", gate)
	}
}

// A version of an application is not tried by a canary again because its ingress controller has other values.
func TestOtherValuesOfTraefikRollOutNoWorkload(t *testing.T) {
	p := withWorkload(t, map[string]any{"canary": map[string]any{}, "routes": []any{map[string]any{}}})
	before := p.graph(t)
	p.set(t, "traefik", section{"values": section{"log": section{"level": "DEBUG"}}})
	assert.ElementsMatch(t, append([]string{"traefik-release", "traefik-rollout", "traefik-address"}, behindTraefik...), changedIn(before, p.graph(t)))
}

// What answers for Argo CD may be a Pod of the values before: it is asked after the rollout of its own.
func TestArgoCDIsAskedOnceItsValuesAreRolledOut(t *testing.T) {
	p := newProgram(t, "staging")
	assert.False(t, p.graph(t).reaches("argocd-server", "argocd-rollout"))
	p.set(t, "argocd", section{"values": section{"dex": section{"enabled": true}}})
	assert.True(t, p.graph(t).reaches("argocd-server", "argocd-rollout"))
}
