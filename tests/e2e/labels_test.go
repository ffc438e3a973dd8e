package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// changesLabels changes the labels and taints that the stack sets on an existing Node. K3s itself
// would only add labels, and only after a restart (rancher/rke2#7152).
func (s *stack) changesLabels(t *testing.T, hosts *hostSet, sections map[string]any, name string) {
	nodes := s.client().CoreV1().Nodes()
	started := func() string {
		return hosts.must(name, "systemctl show --property ActiveEnterTimestampMonotonic k3s-agent")
	}
	before := started()
	set := func(settings map[string]any) *corev1.Node {
		s.configure(merged(sections, map[string]any{"hosts": withSettings(sections["hosts"], name,
			settings)}))
		s.must(s.up())
		node, err := nodes.Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		return node
	}
	patch := func(text string) {
		_, err := nodes.Patch(t.Context(), name, types.MergePatchType, []byte(text),
			metav1.PatchOptions{})
		require.NoError(t, err)
	}

	node := set(map[string]any{"labels": map[string]any{"tier": "db", "rack": "1"},
		"taints": []any{"dedicated=db:PreferNoSchedule"}})
	assert.Equal(t, []string{"db", "1"}, []string{node.Labels["tier"], node.Labels["rack"]})
	assert.Equal(t, []corev1.Taint{{Key: "dedicated", Value: "db",
		Effect: corev1.TaintEffectPreferNoSchedule}}, node.Spec.Taints)

	patch(`{"metadata":{"labels":{"theirs":"1","rack":null}}}`)
	s.unhealthy(t, []string{"--gate", "k3s-nodes"}, "without rack=1, which strata:hosts sets",
		"kubectl label node "+name+" rack=1 --overwrite")
	node = set(map[string]any{"labels": map[string]any{"tier": "web"}})
	assert.Equal(t, []string{"web", "1"}, []string{node.Labels["tier"], node.Labels["theirs"]})
	assert.NotContains(t, node.Labels, "rack")
	assert.Empty(t, node.Spec.Taints)

	node = set(nil)
	assert.NotContains(t, node.Labels, "tier")
	assert.Contains(t, node.Labels, "theirs", "a label of another stays")
	assert.Equal(t, before, started(), "nothing restarts")
}

// withSettings returns section hosts with additional keys for one node.
func withSettings(section any, name string, settings map[string]any) map[string]any {
	hosts, _ := section.(map[string]any)
	list, _ := hosts["nodes"].([]any)
	nodes := make([]any, 0, len(list))
	for _, one := range list {
		node, _ := one.(map[string]any)
		if node["name"] == name {
			node = merged(node, settings)
		}
		nodes = append(nodes, node)
	}
	return merged(hosts, map[string]any{"nodes": nodes})
}
