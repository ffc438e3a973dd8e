package members

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/internal/ssh/remote/sshtest"
)

// K3s removes its finalizer from a Node some time after the deletion. If a kubelet registered
// before that, its Node would be deleted.
func TestNodeNameIsFreeOnlyAfterNodeIsDeleted(t *testing.T) {
	client := fake.NewClientset(living, server("server-3", "10.0.0.13", corev1.ConditionUnknown))
	etcd(t, client)
	nodes := corev1.SchemeGroupVersion.WithResource("nodes")
	finished := make(chan time.Time, 1)
	client.PrependReactor("delete", "nodes",
		func(clienttesting.Action) (bool, runtime.Object, error) {
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

// A busy host may not stop in time. If its Node were removed anyway, the host would become a member
// again at its next start.
func TestRemovalFailsWhenReadyHostCannotBeStopped(t *testing.T) {
	for status, refused := range map[corev1.ConditionStatus]bool{corev1.ConditionTrue: true, corev1.ConditionUnknown: false} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		client := fake.NewClientset(living, server("agent-1", "127.0.0.1", status))
		host := sshtest.Start(t)
		member := Member{Target: host.Target(), Role: "agent"}
		member.Name, member.Port = "agent-1", 1 // nothing listens there
		var log bytes.Buffer
		err := (&Remover{Client: client, SSHKey: host.PrivateKey(), Log: &log}).Remove(ctx, member)
		if refused {
			require.ErrorContains(t, err,
				"its Node is Ready, so it would be a member again: stop it there (systemctl disable --now k3s-agent)")
			continue
		}
		require.NoError(t, err)
		assert.Contains(t, log.String(), "could not be stopped: ")
	}
}
