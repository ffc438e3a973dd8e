package members

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/internal/ssh/remote"
)

var leaving = Member{Target: remote.Target{Name: "server-3"}, Role: "server"}

// cluster returns an API with the leaving server's Node and its password's Secret.
func cluster() (*Remover, *fake.Clientset) {
	client := fake.NewClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: leaving.Name}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: leaving.Name + ".node-password.k3s",
			Namespace: metav1.NamespaceSystem}},
	)
	return &Remover{Client: client, Log: io.Discard}, client
}

// noLeader is an API server's answer while etcd elects a leader, or after the server's own member
// was removed.
var noLeader = &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusInternalServerError,
	Message: "etcdserver: leader changed"}}

// failsOnce makes the first request of a kind fail, and returns the number of requests.
func failsOnce(client *fake.Clientset, verb, resource string, err error) *int {
	asked := 0
	client.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		asked++
		return asked == 1, nil, err
	})
	return &asked
}

func TestNodeDeletionIsRetriedDuringEtcdElection(t *testing.T) {
	remover, client := cluster()
	nodes := failsOnce(client, "delete", "nodes", noLeader)
	secrets := failsOnce(client, "delete", "secrets", errors.New("connection refused"))
	require.NoError(t, remover.forget(t.Context(), leaving))
	assert.Equal(t, []int{2, 2}, []int{*nodes, *secrets})
	left, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, left.Items)
}

func TestForbiddenNodeDeletionIsNotRetried(t *testing.T) {
	remover, client := cluster()
	asked := failsOnce(client, "delete", "nodes",
		apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, leaving.Name, nil))
	require.ErrorContains(t, remover.forget(t.Context(), leaving), "forbidden")
	assert.Equal(t, 1, *asked)
}

func TestDeletingMissingNodeSucceeds(t *testing.T) {
	remover := &Remover{Client: fake.NewClientset(), Log: io.Discard}
	node, err := remover.node(t.Context(), leaving)
	require.NoError(t, err)
	assert.Nil(t, node)
	require.NoError(t, remover.forget(t.Context(), leaving))
}

// A removed server that leads etcd leaves etcd without a leader for a moment. The request to remove
// it may fail, and the API server's watches may end, before K3s reports that the member is removed.
func TestEtcdMemberRemovalSurvivesLossOfLeader(t *testing.T) {
	remover, client := cluster()
	failsOnce(client, "patch", "nodes", noLeader)
	watches := 0
	client.PrependWatchReactor("nodes", func(clienttesting.Action) (bool, watch.Interface, error) {
		watches++
		if watches > 1 {
			return false, nil, nil
		}
		answer := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: leaving.Name,
			Annotations: map[string]string{removedAnnotation: "server-3-1"}}}
		if err := client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), answer,
			""); err != nil {
			return true, nil, err
		}
		ended := watch.NewFake()
		ended.Stop()
		return true, ended, nil
	})
	require.NoError(t, remover.removeFromEtcd(t.Context(), leaving))
}

func TestEtcdRemovalTimeoutNamesMember(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	remover, _ := cluster()
	err := remover.removeFromEtcd(ctx, leaving)
	require.ErrorContains(t, err, "etcd member of server-3 was not removed within 2m0s by the "+
		"holder of lease kube-system/k3s-etcd (not readable: ")
	require.ErrorContains(t, err, "; the other servers need a quorum: k3s kubectl get nodes -l "+
		"node-role.kubernetes.io/etcd")
}

// A server that removes itself from etcd cannot report that. Another server reports it when the
// first server's lease of 45 s has expired (seen on K3s v1.34.2).
func TestEtcdRemovalReportsWaitForLease(t *testing.T) {
	remover, client := cluster()
	output, holder := newSignal("lease kube-system/k3s-etcd (host-3) takes it out"), "host-3"
	remover.Log, remover.Patience = output, time.Millisecond
	require.NoError(t, client.Tracker().Add(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: membersLease, Namespace: metav1.NamespaceSystem},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder},
	}))
	// The fake loses changes between a list and the watch after it. An API server loses none.
	watched := make(chan struct{}, 1)
	client.PrependWatchReactor("nodes", func(
		action clienttesting.Action,
	) (bool, watch.Interface, error) {
		begun, err := client.Tracker().Watch(action.GetResource(), action.GetNamespace())
		watched <- struct{}{}
		return true, begun, err
	})
	go func() {
		<-output.seen
		<-watched
		answer := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: leaving.Name,
			Annotations: map[string]string{removedAnnotation: "server-3-1"}}}
		assert.NoError(t, client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"),
			answer, ""))
	}()
	require.NoError(t, remover.removeFromEtcd(t.Context(), leaving))
	assert.Contains(t, output.text(), "after 45 s")
	assert.Greater(t, etcdLimit, 47*time.Second+30*time.Second, "a lease, and room")
}

// A server that was removed and joined again keeps removedAnnotation. If a new request kept it too,
// K3s would delete both annotations and remove nothing.
func TestRejoinedServerIsRemovedFromEtcdAgain(t *testing.T) {
	remover, client := cluster()
	nodes := corev1.SchemeGroupVersion.WithResource("nodes")
	back := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: leaving.Name, Labels: map[string]string{etcdLabel: "true"},
		Annotations: map[string]string{removedAnnotation: "server-3-1",
			memberAnnotation: "server-3-2"},
	}}
	require.NoError(t, client.Tracker().Update(nodes, back, ""))
	assert.False(t, outOfEtcd(back))
	client.PrependReactor("patch", "nodes",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			assert.JSONEq(t, `{"metadata":{"annotations":{"etcd.k3s.cattle.io/remove":"true","etcd.k3s.cattle.io/removed-node-name":null}}}`,
				string(action.(clienttesting.PatchAction).GetPatch()))
			out := back.DeepCopy()
			out.Annotations = map[string]string{removedAnnotation: "server-3-2"}
			time.AfterFunc(100*time.Millisecond,
				func() { assert.NoError(t, client.Tracker().Update(nodes, out, "")) })
			return true, back, nil
		})
	require.NoError(t, remover.removeFromEtcd(t.Context(), leaving))
	node, err := remover.node(t.Context(), leaving)
	require.NoError(t, err)
	assert.True(t, outOfEtcd(node), "it did not wait for the new answer")
}

// signal is a log. It closes seen once the text want was written.
type signal struct {
	mutex sync.Mutex
	all   strings.Builder
	want  string
	once  sync.Once
	seen  chan struct{}
}

func newSignal(want string) *signal { return &signal{want: want, seen: make(chan struct{})} }

func (s *signal) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.all.Write(p)
	if strings.Contains(s.all.String(), s.want) {
		s.once.Do(func() { close(s.seen) })
	}
	return len(p), nil
}

func (s *signal) text() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.all.String()
}

// Without a quorum no API server can answer, so no member can be removed through one.
func TestLostQuorumErrorNamesRestoreCommand(t *testing.T) {
	remover, client := cluster()
	client.PrependReactor("list", "nodes",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, &apierrors.StatusError{
				ErrStatus: metav1.Status{Code: http.StatusServiceUnavailable,
					Message: "etcdserver: no leader"}}
		})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := remover.DeadFirst(ctx, []Member{leaving})
	require.ErrorContains(t, err, "etcdserver: no leader")
	require.ErrorContains(t, err, "if the servers have lost their quorum: strata restore "+
		"--current --from SERVER --without DEAD")
}
