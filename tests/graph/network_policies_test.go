package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/tests/pulumitest"
)

// layerPolicies returns the names of the policies of k3s.networkPolicies and
// cluster.networkPolicies.
func (g graph) layerPolicies() []string {
	return g.where(func(r pulumitest.Resource) bool {
		return strings.HasSuffix(r.Type, ":NetworkPolicy") && r.Name != "apisix-admin-policy"
	})
}

func TestEveryLayerOfOwnClusterHasNetworkPolicy(t *testing.T) {
	p := everything(t, newProgram(t, "local"))
	assert.ElementsMatch(t, []string{
		"apisix-network-policy", "argocd-network-policy", "cert-manager-network-policy",
		"metallb-network-policy",
		"traefik-network-policy", "vault-network-policy", "wave-network-policy",
	}, p.graph(t).layerPolicies())

	p.change(t, "k3s", section{"networkPolicies": false})
	assert.Empty(t, p.graph(t).layerPolicies())
}

func TestWithoutK3sControllerThereAreNoPoliciesUnlessAskedFor(t *testing.T) {
	p := newProgram(t, "local")
	p.change(t, "k3s", section{"serverArgs": section{"disable-network-policy": true}})
	assert.Empty(t, p.graph(t).layerPolicies())
	p.change(t, "k3s", section{"networkPolicies": true})
	assert.NotEmpty(t, p.graph(t).layerPolicies())
}

func TestAnExistingClusterGetsPoliciesOnlyWhereAskedFor(t *testing.T) {
	p := everything(t, newProgram(t, "kind"))
	assert.Empty(t, p.graph(t).layerPolicies())
	p.change(t, "cluster", section{"networkPolicies": true})
	assert.Len(t, p.graph(t).layerPolicies(), 7)
}
