package kuberead_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"

	"strata/actions/cluster/kuberead"
)

func TestNodesAreListedWithRoleAndAddress(t *testing.T) {
	node := func(name, address string, labels map[string]string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
			Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeHostName, Address: name},
				{Type: corev1.NodeInternalIP, Address: address},
				{Type: corev1.NodeInternalIP, Address: "fc00::2"},
			}}}
	}
	client := fake.NewSimpleDynamicClient(scheme.Scheme,
		node("kind-control-plane", "172.18.0.2",
			map[string]string{"node-role.kubernetes.io/control-plane": ""}),
		node("kind-worker", "172.18.0.3", nil))
	nodes, err := kuberead.Nodes(t.Context(), client)
	require.NoError(t, err)
	assert.Equal(t, []kuberead.Node{{"kind-control-plane", "server", "172.18.0.2"},
		{"kind-worker", "agent", "172.18.0.3"}}, nodes)
}
