package members

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/internal/remote"
)

var leaving = Member{Target: remote.Target{Name: "server-3"}, Role: "server"}

// cluster is an API with the leaving server's Node and its password's Secret.
func cluster() (*Remover, *fake.Clientset) {
	client := fake.NewClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: leaving.Name}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: leaving.Name + ".node-password.k3s", Namespace: metav1.NamespaceSystem}},
	)
	return &Remover{Client: client, Log: io.Discard}, client
}

// noLeader is what an API server answers while etcd elects, and what one answers whose own member was removed.
var noLeader = &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusInternalServerError, Message: "etcdserver: leader changed"}}

// failsOnce lets the first request of a kind fail.
func failsOnce(client *fake.Clientset, verb, resource string, err error) *int {
	asked := 0
	client.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		asked++
		return asked == 1, nil, err
	})
	return &asked
}

func TestAnElectionWhileANodeIsForgottenIsWaitedFor(t *testing.T) {
	remover, client := cluster()
	nodes := failsOnce(client, "delete", "nodes", noLeader)
	secrets := failsOnce(client, "delete", "secrets", errors.New("connection refused"))
	require.NoError(t, remover.forget(t.Context(), leaving))
	assert.Equal(t, []int{2, 2}, []int{*nodes, *secrets})
	left, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, left.Items)
}

func TestWhatIsRefusedIsNotAskedAgain(t *testing.T) {
	remover, client := cluster()
	asked := failsOnce(client, "delete", "nodes", apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, leaving.Name, nil))
	require.ErrorContains(t, remover.forget(t.Context(), leaving), "forbidden")
	assert.Equal(t, 1, *asked)
}

func TestANodeThatIsGoneIsNoError(t *testing.T) {
	remover := &Remover{Client: fake.NewClientset(), Log: io.Discard}
	node, err := remover.node(t.Context(), leaving)
	require.NoError(t, err)
	assert.Nil(t, node)
	require.NoError(t, remover.forget(t.Context(), leaving))
}

// A server that leads etcd takes the leader with it when it is removed: the request to remove it may fail, and the API server's
// watches end, before K3s says that the member is out.
func TestTheEtcdMembersRemovalSurvivesTheLeadersEnd(t *testing.T) {
	remover, client := cluster()
	failsOnce(client, "patch", "nodes", noLeader)
	watches := 0
	client.PrependWatchReactor("nodes", func(clienttesting.Action) (bool, watch.Interface, error) {
		watches++
		if watches > 1 {
			return false, nil, nil
		}
		answer := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: leaving.Name, Annotations: map[string]string{removedAnnotation: "server-3-1"}}}
		if err := client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), answer, ""); err != nil {
			return true, nil, err
		}
		ended := watch.NewFake()
		ended.Stop()
		return true, ended, nil
	})
	require.NoError(t, remover.removeFromEtcd(t.Context(), leaving))
}

func TestAnEtcdMemberThatStaysIsNamed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	remover, _ := cluster()
	err := remover.removeFromEtcd(ctx, leaving)
	require.ErrorContains(t, err, "etcd member of server-3 was not removed within 1m0s; the other servers need a quorum: k3s kubectl get nodes -l node-role.kubernetes.io/etcd")
}

// Without a quorum no API server can answer, and nothing can be removed through one.
func TestALostQuorumIsSaidWithTheWayOut(t *testing.T) {
	remover, client := cluster()
	client.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusServiceUnavailable, Message: "etcdserver: no leader"}}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := remover.DeadFirst(ctx, []Member{leaving})
	require.ErrorContains(t, err, "etcdserver: no leader")
	require.ErrorContains(t, err, "if the servers have lost their quorum: strata restore --current --from SERVER --without DEAD")
}
