package members

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// K3s takes its finalizer off a Node some time after the delete; a kubelet that registered before would lose its Node.
func TestANameIsFreeOnlyWhenItsNodeIsGone(t *testing.T) {
	client := fake.NewClientset(living, server("server-3", "10.0.0.13", corev1.ConditionUnknown))
	etcd(t, client)
	nodes := corev1.SchemeGroupVersion.WithResource("nodes")
	finished := make(chan time.Time, 1)
	client.PrependReactor("delete", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		time.AfterFunc(300*time.Millisecond, func() {
			finished <- time.Now()
			assert.NoError(t, client.Tracker().Delete(nodes, "", "server-3"))
		})
		return true, nil, nil
	})
	member := leaving
	member.Address = "10.0.0.13"
	require.NoError(t, (&Remover{Client: client, Log: io.Discard}).Clear(t.Context(), member))
	ended := time.Now()
	assert.False(t, ended.Before(<-finished), "it did not wait for the Node's end")
}
