package graph_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"strata/tests/pulumitest"
)

// layerPolicies returns the NetworkPolicies of layers, which k3s.networkPolicies and
// cluster.networkPolicies enable.
func (g graph) layerPolicies() []string {
	return g.where(func(r pulumitest.Resource) bool {
		return strings.HasSuffix(r.Type, ":NetworkPolicy")
	})
}

func TestEveryLayerOfOwnClusterHasNetworkPolicy(t *testing.T) {
	p := everything(t, newProgram(t, "local"))
	g := p.graph(t)
	var out strings.Builder
	for _, name := range g.layerPolicies() {
		spec, _ := g[name].Input("spec")
		text, err := yaml.Marshal(spec.Mappable())
		require.NoError(t, err)
		fmt.Fprintf(&out, "# %s\n%s\n", name, text)
	}
	golden(t, filepath.Join(root, "tests/graph/testdata/network_policies.golden"), out.String())

	p.change(t, "k3s", section{"networkPolicies": false})
	assert.Empty(t, p.graph(t).layerPolicies())
}

func TestDisabledPolicyControllerOmitsPoliciesUnlessConfigured(t *testing.T) {
	p := newProgram(t, "local")
	p.change(t, "k3s", section{"serverArgs": section{"disable-network-policy": true}})
	assert.Empty(t, p.graph(t).layerPolicies())
	p.change(t, "k3s", section{"networkPolicies": true})
	assert.NotEmpty(t, p.graph(t).layerPolicies())
}

func TestExistingClusterGetsPoliciesOnlyIfConfigured(t *testing.T) {
	p := everything(t, newProgram(t, "kind"))
	assert.Empty(t, p.graph(t).layerPolicies())
	p.change(t, "cluster", section{"networkPolicies": true})
	assert.Equal(t, everything(t, newProgram(t, "local")).graph(t).layerPolicies(),
		p.graph(t).layerPolicies())
}
