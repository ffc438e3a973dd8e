package datastore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// reconciled returns a Node after the member controller has reconciled the Node once.
func reconciled(t *testing.T, labels, annotations map[string]string, finalizers ...string) *corev1.Node {
	t.Helper()
	core := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "b", Labels: labels, Annotations: annotations, Finalizers: finalizers}})
	(&Etcd{}).reconcile(t.Context(), core, membersFinalizer, (&Etcd{}).reconcileNode)
	node, err := core.CoreV1().Nodes().Get(t.Context(), "b", metav1.GetOptions{})
	require.NoError(t, err)
	return node
}

func TestNodeWithoutEtcdRoleGetsMemberFinalizer(t *testing.T) {
	assert.Equal(t, []string{membersFinalizer}, reconciled(t, nil, nil).Finalizers)
}

func TestRemoveAnnotationIsClearedForRejoinedServer(t *testing.T) {
	node := reconciled(t, map[string]string{RoleLabel: "true"},
		map[string]string{removeAnnotation: "true", removedAnnotation: "b-old", NameAnnotation: "b-new", AddressAnnotation: "10.0.0.2"}, membersFinalizer)
	assert.Equal(t, map[string]string{NameAnnotation: "b-new", AddressAnnotation: "10.0.0.2"}, node.Annotations)
}

func TestEachControllerRemovesOnlyItsFinalizerFromDeletedNode(t *testing.T) {
	now := metav1.Now()
	// The Node has removed-node-name, so the controller does not look for its member in etcd.
	gone := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: "b", DeletionTimestamp: &now, Labels: map[string]string{RoleLabel: "true"},
		Annotations: map[string]string{removedAnnotation: "b-old", NameAnnotation: "b-new"}, Finalizers: []string{nodeFinalizer, membersFinalizer},
	}}
	core := fake.NewClientset(gone)
	(&Etcd{}).reconcile(t.Context(), core, membersFinalizer, (&Etcd{}).reconcileNode)
	node, err := core.CoreV1().Nodes().Get(t.Context(), "b", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{nodeFinalizer}, node.Finalizers)
	require.NoError(t, letGo(t.Context(), core, node))
	node, err = core.CoreV1().Nodes().Get(t.Context(), "b", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Empty(t, node.Finalizers)
}
