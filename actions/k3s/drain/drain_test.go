package drain_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/actions/k3s/drain"
)

// pod returns a Pod on agent-1. owner is the kind of its controller; "" for none.
func pod(name, owner string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: corev1.PodSpec{NodeName: "agent-1"}}
	if owner != "" {
		controls := true
		p.OwnerReferences = []metav1.OwnerReference{{Kind: owner, Name: "x", Controller: &controls}}
	}
	return p
}

// cluster returns an API whose evictions delete Pods. It refuses an eviction each time refuse
// returns an error for the Pod.
func cluster(refuse func(name string) error, objects ...runtime.Object) *fake.Clientset {
	client := fake.NewClientset(objects...)
	client.PrependReactor("create", "pods",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			create := action.(clienttesting.CreateAction)
			if create.GetSubresource() != "eviction" {
				return false, nil, nil
			}
			name := create.GetObject().(*policyv1.Eviction).Name
			if err := refuse(name); err != nil {
				return true, nil, err
			}
			return true, nil, client.Tracker().Delete(
				corev1.SchemeGroupVersion.WithResource("pods"),
				"default", name)
		})
	return client
}

func never(string) error { return nil }

// budget returns the API server's error if a PodDisruptionBudget forbids an eviction (kubernetes
// pkg/registry/core/pod/storage/eviction.go).
func budget() error {
	err := apierrors.NewTooManyRequests(
		"Cannot evict pod as it would violate the pod's disruption budget.", 0)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    policyv1.DisruptionBudgetCause,
		Message: "The disruption budget web needs 2 healthy pods and has 2 currently",
	}}
	return err
}

func names(t *testing.T, client *fake.Clientset) []string {
	pods, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var left []string
	for _, p := range pods.Items {
		left = append(left, p.Name)
	}
	return left
}

func TestDrainEvictsOnlyReplaceablePods(t *testing.T) {
	mirror, finished := pod("mirror", "Node"), pod("finished", "Job")
	mirror.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
	finished.Status.Phase = corev1.PodSucceeded
	client := cluster(never, pod("web", "ReplicaSet"), pod("speaker", "DaemonSet"), pod("bare", ""),
		mirror, finished)
	var output []string
	d := drain.Drainer{Client: client, Log: func(format string,
		_ ...any) {
		output = append(output, format)
	}}
	require.NoError(t, d.Drain(t.Context(), "agent-1"))
	assert.ElementsMatch(t, []string{"speaker", "bare", "mirror", "finished"}, names(t, client))
	assert.Len(t, output, 1, "the Pod without an owner")
}

func TestDrainWaitsForDisruptionBudget(t *testing.T) {
	refusals := 0
	client := cluster(func(string) error {
		if refusals++; refusals == 1 {
			return budget()
		}
		return nil
	}, pod("web", "ReplicaSet"))
	d := drain.Drainer{Client: client, Log: t.Logf}
	require.NoError(t, d.Drain(t.Context(), "agent-1"))
	assert.Equal(t, 2, refusals)
}

func TestDrainTimeoutNamesPodAndDisruptionBudget(t *testing.T) {
	client := cluster(func(name string) error {
		if name == "web" {
			return budget()
		}
		return nil
	}, pod("web", "ReplicaSet"), pod("other", "ReplicaSet"))
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	err := (&drain.Drainer{Client: client, Log: t.Logf}).Drain(ctx, "agent-1")
	require.ErrorIs(t, err, drain.ErrBlocked)
	assert.EqualError(t, err,
		"not drained: 1 still on it: default/web: The disruption budget web needs 2 healthy pods and has 2 currently")
}

func TestDrainErrorNamesPodThatDoesNotTerminate(t *testing.T) {
	slow := pod("slow", "StatefulSet")
	now := metav1.Now()
	slow.DeletionTimestamp, slow.Finalizers = &now, []string{"x/y"}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := (&drain.Drainer{Client: cluster(never, slow), Log: t.Logf}).Drain(ctx, "agent-1")
	assert.EqualError(t, err, "not drained: 1 still on it: default/slow: it was told to end and has not yet")
}

func TestUncordonKeepsCordonOfUser(t *testing.T) {
	theirs := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "theirs"},
		Spec: corev1.NodeSpec{Unschedulable: true}}
	ours := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "ours"}}
	client := fake.NewClientset(theirs, ours)
	cordoned := func(name string) (bool, string) {
		node, err := client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		return node.Spec.Unschedulable, node.Annotations[drain.Annotation]
	}
	for _, name := range []string{"theirs", "ours", "ours"} { // the second time after a kill
		require.NoError(t, drain.Cordon(t.Context(), client, name, "v1.34.3+k3s1"))
		is, _ := cordoned(name)
		assert.True(t, is, name)
	}
	_, mark := cordoned("ours")
	assert.Equal(t, "v1.34.3+k3s1", mark)
	for _, name := range []string{"theirs", "ours"} {
		require.NoError(t, drain.Uncordon(t.Context(), client, name))
	}
	is, mark := cordoned("ours")
	assert.False(t, is)
	assert.Empty(t, mark)
	is, _ = cordoned("theirs")
	assert.True(t, is, "who cordoned it will want it so")
}
