package members

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"

	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
)

func agentWith(labels map[string]string, taints ...string) Member {
	return Member{Target: remote.Target{Name: "agent-1"}, Role: "agent",
		NodeSettings: apiserver.NodeSettings{Labels: labels, Taints: taints}}
}

func TestNodeSettingsKeepLabelsAndTaintsOfOthers(t *testing.T) {
	others := corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}
	client := fake.NewClientset(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "agent-1",
			Labels: map[string]string{"kubernetes.io/os": "linux", "old": "1", "taken": "theirs"}},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{others,
			{Key: "dedicated", Value: "web", Effect: corev1.TaintEffectNoSchedule}}},
	})
	before := apiserver.NodeSettings{Labels: map[string]string{"old": "1", "taken": "ours"},
		Taints: []string{"dedicated=web:NoSchedule"}}
	wanted := agentWith(map[string]string{"tier": "db"}, "dedicated=db:NoSchedule")
	require.NoError(t, applySettings(t.Context(), client, wanted, before))

	node, err := client.CoreV1().Nodes().Get(t.Context(), "agent-1", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"kubernetes.io/os": "linux", "taken": "theirs", "tier": "db"},
		node.Labels)
	assert.ElementsMatch(t, []corev1.Taint{others,
		{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}}, node.Spec.Taints)
	assert.True(t, wanted.FindMissing(node).IsEmpty())

	client.ClearActions()
	require.NoError(t, applySettings(t.Context(), client, wanted, wanted.NodeSettings))
	assert.Len(t, client.Actions(), 1, "what is as it must be is read and not written")
}

// The kubelet and controllers write Nodes as well, which causes conflicts.
func TestNodeSettingsAreRetriedOnConflict(t *testing.T) {
	client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "agent-1"}})
	refused := false
	client.PrependReactor("update", "nodes", func(ktesting.Action) (bool, runtime.Object, error) {
		if refused {
			return false, nil, nil
		}
		refused = true
		return true, nil, apierrors.NewConflict(corev1.Resource("nodes"), "agent-1",
			errors.New("it was changed"))
	})
	require.NoError(t, applySettings(t.Context(), client,
		agentWith(map[string]string{"tier": "db"}), apiserver.NodeSettings{}))
	node, err := client.CoreV1().Nodes().Get(t.Context(), "agent-1", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "db", node.Labels["tier"])
}

// The next run compares with the settings that this run prints, so a timeout must not look like
// success.
func TestNodeSettingsFailAtTimeout(t *testing.T) {
	client := fake.NewClientset()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	client.PrependReactor("get", "nodes", func(ktesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("etcdserver: no leader")
	})
	err := applySettings(ctx, client, agentWith(map[string]string{"tier": "db"}),
		apiserver.NodeSettings{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// A Node that does not exist yet needs no change: K3s gives it its labels and taints when it
// registers.
func TestNodeSettingsSkipMissingNode(t *testing.T) {
	require.NoError(t, applySettings(t.Context(), fake.NewClientset(),
		agentWith(map[string]string{"tier": "db"}), apiserver.NodeSettings{}))
}

func TestMemberSetOutputKeepsNodeSettings(t *testing.T) {
	set := Set{Members: []Member{agentWith(map[string]string{"tier": "db"},
		"dedicated=db:NoSchedule")}}
	assert.Equal(t, set.Members[0].NodeSettings, set.Output().Members[0].NodeSettings)
}
