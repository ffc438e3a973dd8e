package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// images returns the resources that push image archives.
func (g graph) images() []string {
	return g.where(func(r pulumitest.Resource) bool { return strings.Contains(r.Name, "-images-") })
}

// The image archives of all layers have about 1 GB, and K3s starts only after they are pushed. So a
// disabled layer's images must not be pushed.
func TestNodesGetImagesOfEnabledLayersOnly(t *testing.T) {
	p := newProgram(t, "local")
	all := p.graph(t)
	assert.Equal(t, []string{
		"k3s-agent-1-images-0", "k3s-agent-1-images-argocd-chart-0",
		"k3s-agent-1-images-metallb-chart-0",
		"k3s-server-1-images-0", "k3s-server-1-images-argocd-chart-0",
		"k3s-server-1-images-metallb-chart-0",
	}, all.images())
	p.set(t, "argocd", map[string]any{"enabled": false})
	without := p.graph(t)
	assert.Equal(t, []string{
		"k3s-agent-1-images-0", "k3s-agent-1-images-metallb-chart-0", "k3s-server-1-images-0",
		"k3s-server-1-images-metallb-chart-0",
	}, without.images())
	for _, name := range all.images() {
		assert.Contains(t, all[name].Text("stdin"), `"images":true`, name)
	}
	assert.NotContains(t, all["k3s-server-1-binary"].Text("stdin"), `"images"`)
}

// An enabled layer pushes files to the nodes. They must not change an install, because a changed
// install restarts K3s.
func TestEnabledLayerChangesNoClusterResource(t *testing.T) {
	p := newProgram(t, "local")
	p.set(t, "argocd", map[string]any{"enabled": false})
	before := p.graph(t)
	p.set(t, "argocd", map[string]any{"enabled": true})
	after := p.graph(t)
	for _, name := range before.names() {
		require.True(t, slices.Contains(after.names(), name), "%s is gone", name)
		if before.layer(name) != "k3s-teardown" { // this has one more namespace
			assert.Equal(t, before[name].Inputs, after[name].Inputs, name)
		}
	}
	assert.True(t, after.reaches("argocd-release", "k3s-server-1-images-argocd-chart-0"),
		"its Pods find their images")
}
