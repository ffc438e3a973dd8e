package kubeconfig_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"strata/actions/cluster/kubeconfig"
)

func TestOtherClusterInSameContextIsRefused(t *testing.T) {
	client := fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system",
		UID: "two"}})
	asked := kubeconfig.Recognition{Server: "https://10.0.0.2:6443",
		Forget: "pulumi state delete X"}
	second := kubeconfig.Place{Server: "https://10.0.0.2:6443", UID: "two"}

	found, err := asked.Recognise(t.Context(), client, kubeconfig.Place{})
	require.NoError(t, err, "the first time")
	assert.Equal(t, second, found)
	found, err = asked.Recognise(t.Context(), client,
		kubeconfig.Place{Server: "https://192.0.2.1:6443", UID: "two"})
	require.NoError(t, err, "the same cluster at another address, or with another CA")
	assert.Equal(t, second, found)
	_, err = asked.Recognise(t.Context(), client,
		kubeconfig.Place{Server: "https://10.0.0.1:6443", UID: "one"})
	require.EqualError(t, err, "refused, nothing was changed: the context led to the cluster at "+
		"https://10.0.0.1:6443 (kube-system one), and leads to another one at "+
		"https://10.0.0.2:6443 (kube-system two). Point it back. Or let the stack forget what it "+
		"made in the first, which stays there, and run pulumi up: pulumi state delete X")
}

func TestClusterWithUnreadableIdentityIsRefused(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := kubeconfig.Recognition{Server: "https://10.0.0.2:6443"}.Recognise(ctx,
		fake.NewClientset(), kubeconfig.Place{UID: "one"})
	require.ErrorContains(t, err, "UID of namespace kube-system at https://10.0.0.2:6443")
}
