package members

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/internal/ssh/remote"
)

// server returns a Node with a member of etcd at an address.
func server(name, address string, status corev1.ConditionStatus) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{etcdLabel: "true"}},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}},
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}},
		},
	}
}

// living is a server whose member of etcd works.
var living = server("server-1", "10.0.0.11", corev1.ConditionTrue)

// etcd answers the request to remove a member as K3s does.
func etcd(t *testing.T, client *fake.Clientset) (removed *[]string) {
	removed = &[]string{}
	nodes := corev1.SchemeGroupVersion.WithResource("nodes")
	client.PrependReactor("patch", "nodes",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			name := action.(clienttesting.PatchAction).GetName()
			*removed = append(*removed, name)
			object, err := client.Tracker().Get(nodes, "", name)
			require.NoError(t, err)
			node := object.(*corev1.Node).DeepCopy()
			node.Annotations = map[string]string{removedAnnotation: name + "-1"}
			return true, node, client.Tracker().Update(nodes, node, "")
		})
	return removed
}

func TestClearFreesNodeNameOfDeadHost(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: corev1.PodSpec{NodeName: "server-3"}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "server-3.node-password.k3s",
		Namespace: metav1.NamespaceSystem}}
	client := fake.NewClientset(living, server("server-3", "10.0.0.13", corev1.ConditionUnknown),
		pod, secret)
	removed := etcd(t, client)
	remover := &Remover{Client: client, Log: io.Discard}
	require.NoError(t, remover.Clear(t.Context(),
		Member{Target: remote.Target{Name: "server-3", Address: "10.0.0.13"}, Role: "server"}))
	assert.Equal(t, []string{"server-3"}, *removed)
	for what, list := range map[string]func() (int, error){
		"nodes": func() (int, error) {
			l, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
			return len(l.Items) - 1, err // the living server's
		},
		"pods": func() (int, error) {
			l, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
			return len(l.Items), err
		},
		"secrets": func() (int, error) {
			l, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{})
			return len(l.Items), err
		},
	} {
		left, err := list()
		require.NoError(t, err)
		assert.Zero(t, left, what)
	}
}

// If a Node is still Ready at the new host's address, the old host has just died. If it is Ready at
// another address, the old host lives.
func TestClearRefusesMemberThatIsReadyAtOtherAddress(t *testing.T) {
	agent := server("agent-1", "10.0.0.21", corev1.ConditionTrue)
	agent.Labels = nil
	client := fake.NewClientset(agent)
	remover := &Remover{Client: client, Log: io.Discard}
	member := Member{Target: remote.Target{Name: "agent-1", Address: "10.0.0.29"}, Role: "agent"}
	err := remover.Clear(t.Context(), member)
	require.ErrorContains(t, err, "node agent-1 is Ready at 10.0.0.21, and its host is to be "+
		"replaced by 10.0.0.29; stop the old one first")
	member.Address = "10.0.0.21"
	require.NoError(t, remover.Clear(t.Context(), member))
}

func TestClearingUnusedNodeNameSucceeds(t *testing.T) {
	client := fake.NewClientset()
	require.NoError(t, (&Remover{Client: client, Log: io.Discard}).Clear(t.Context(), leaving))
}

// An agent may take a dead server's name, and a server a dead agent's. The old Node, and not the
// new host, shows the role of the old host.
func TestClearingMemberUsesRoleOfOldNode(t *testing.T) {
	client := fake.NewClientset(living, server("node-3", "10.0.0.13", corev1.ConditionUnknown))
	removed := etcd(t, client)
	remover := &Remover{Client: client, Log: io.Discard}
	require.NoError(t, remover.Clear(t.Context(),
		Member{Target: remote.Target{Name: "node-3", Address: "10.0.0.13"}, Role: "agent"}))
	assert.Equal(t, []string{"node-3"}, *removed)

	agent := server("node-4", "10.0.0.14", corev1.ConditionUnknown)
	agent.Labels = nil
	client = fake.NewClientset(agent)
	removed = etcd(t, client)
	remover.Client = client
	require.NoError(t, remover.Clear(t.Context(),
		Member{Target: remote.Target{Name: "node-4", Address: "10.0.0.14"}, Role: "server"}))
	assert.Empty(t, *removed, "it would be waited for")
}

func TestClearingMemberIsRefusedIfEtcdWouldLoseQuorum(t *testing.T) {
	client := fake.NewClientset(server("server-1", "a", corev1.ConditionTrue),
		server("server-2", "b", corev1.ConditionUnknown),
		server("server-3", "c", corev1.ConditionUnknown))
	removed := etcd(t, client)
	err := (&Remover{Client: client, Log: io.Discard}).Clear(t.Context(),
		Member{Target: remote.Target{Name: "server-3", Address: "c"}, Role: "server"})
	require.ErrorContains(t, err, "of the 2 servers that are left, 1 work, and etcd needs 2; "+
		"bring back or replace server-2 first")
	assert.Empty(t, *removed)
}

func TestServerRemovalIsRefusedWhenEtcdLosesQuorum(t *testing.T) {
	yes, no := corev1.ConditionTrue, corev1.ConditionUnknown
	for _, test := range []struct {
		name    string
		status  [3]corev1.ConditionStatus
		leaving string
		refused string
	}{
		{"all work", [3]corev1.ConditionStatus{yes, yes, yes}, "server-1", ""},
		{"the dead server leaves", [3]corev1.ConditionStatus{yes, yes, no}, "server-3", ""},
		{"a working server leaves, the dead one stays", [3]corev1.ConditionStatus{yes, yes, no},
			"server-1",
			"server-1 is not taken out: of the 2 servers that are left, 1 work, and etcd needs " +
				"2; bring back or replace server-3 first"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := fake.NewClientset(server("server-1", "a", test.status[0]),
				server("server-2", "b", test.status[1]), server("server-3", "c", test.status[2]))
			err := (&Remover{Client: client, Log: io.Discard}).keepsQuorum(t.Context(),
				Member{Target: remote.Target{Name: test.leaving}, Role: "server"})
			if test.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.refused)
		})
	}
}

// The same update may have just restarted another server. The gate of that server passes before its
// Node is Ready.
func TestServerRemovalWaitsForRestartedServer(t *testing.T) {
	restarted := server("server-2", "b", corev1.ConditionFalse)
	restarted.Status.Conditions[0].LastTransitionTime = metav1.Now()
	client := fake.NewClientset(server("server-1", "a", corev1.ConditionTrue), restarted,
		server("server-3", "c", corev1.ConditionTrue))
	client.PrependWatchReactor("nodes", func(
		action clienttesting.Action,
	) (bool, watch.Interface, error) {
		begun, err := client.Tracker().Watch(action.GetResource(), action.GetNamespace())
		time.AfterFunc(10*time.Millisecond, func() {
			back := server("server-2", "b", corev1.ConditionTrue)
			assert.NoError(t, client.Tracker().Update(
				corev1.SchemeGroupVersion.WithResource("nodes"), back, ""))
		})
		return true, begun, err
	})
	var log bytes.Buffer
	leaving := Member{Target: remote.Target{Name: "server-1"}, Role: "server"}
	require.NoError(t, (&Remover{Client: client, Log: &log}).keepsQuorum(t.Context(), leaving))
	assert.Contains(t, log.String(), "server-1 stays until server-2 is Ready again")
}

func TestEtcdLeaseHolderIsRemovedLast(t *testing.T) {
	client := fake.NewClientset(server("server-1", "a", corev1.ConditionTrue),
		server("server-2", "b", corev1.ConditionTrue))
	member := func(name string) Member {
		return Member{Target: remote.Target{Name: name},
			Role: "server"}
	}
	holder := "server-1"
	require.NoError(t, client.Tracker().Add(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: membersLease, Namespace: metav1.NamespaceSystem},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder},
	}))
	sorted, err := (&Remover{Client: client, Log: io.Discard}).DeadFirst(t.Context(),
		[]Member{member("server-1"), member("server-2")})
	require.NoError(t, err)
	assert.Equal(t, []Member{member("server-2"), member("server-1")}, sorted)
}

func TestDeadNodesAreRemovedFirst(t *testing.T) {
	client := fake.NewClientset(server("server-2", "b", corev1.ConditionTrue),
		server("server-3", "c", corev1.ConditionUnknown))
	member := func(name, role string) Member {
		return Member{Target: remote.Target{Name: name},
			Role: role}
	}
	sorted, err := (&Remover{Client: client, Log: io.Discard}).DeadFirst(t.Context(),
		[]Member{member("agent-1", "agent"), member("server-2", "server"),
			member("server-3", "server")})
	require.NoError(t, err)
	assert.Equal(t, []Member{member("agent-1", "agent"), member("server-3", "server"),
		member("server-2", "server")}, sorted)
}
