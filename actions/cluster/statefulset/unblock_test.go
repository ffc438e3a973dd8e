package statefulset

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

func statefulSet(observed int64) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "controller", UID: "set",
			Generation: 2},
		Spec: appsv1.StatefulSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "controller"}}},
		Status: appsv1.StatefulSetStatus{ObservedGeneration: observed, UpdateRevision: "new"},
	}
}

func pod(name, revision string, owner types.UID, ready corev1.ConditionStatus) *corev1.Pod {
	yes := true
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "argocd", Name: name,
			Labels: map[string]string{"app": "controller",
				appsv1.ControllerRevisionHashLabelKey: revision},
			OwnerReferences: []metav1.OwnerReference{{UID: owner, Controller: &yes}},
		},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady,
			Status: ready}}},
	}
}

func TestUnblockDeletesOnlyBrokenPodsOfOldRevision(t *testing.T) {
	client := fake.NewClientset(statefulSet(2),
		pod("serves", "old", "set", corev1.ConditionTrue),
		pod("broken", "old", "set", corev1.ConditionFalse),
		pod("starts", "new", "set", corev1.ConditionFalse),
		pod("of another", "old", "other", corev1.ConditionFalse))
	require.NoError(t, unblock(t.Context(), client, "argocd", "controller", io.Discard))
	left, err := client.CoreV1().Pods("argocd").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var names []string
	for _, one := range left.Items {
		names = append(names, one.Name)
	}
	assert.ElementsMatch(t, []string{"serves", "starts", "of another"}, names)
}

func TestUnblockWaitsUntilControllerObservesGeneration(t *testing.T) {
	client := fake.NewClientset(statefulSet(1), pod("broken", "old", "set", corev1.ConditionFalse))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, unblock(ctx, client, "argocd", "controller", io.Discard),
		"has not seen its newest generation")

	done := make(chan error, 1)
	go func() { done <- unblock(t.Context(), client, "argocd", "controller", io.Discard) }()
	_, err := client.AppsV1().StatefulSets("argocd").Update(t.Context(), statefulSet(2),
		metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, <-done)
	left, err := client.CoreV1().Pods("argocd").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, left.Items)
}

func TestUnblockFailsAtOnceWhenStatefulSetIsDeleted(t *testing.T) {
	client := fake.NewClientset(statefulSet(1))
	changes := watch.NewFake()
	client.PrependWatchReactor("statefulsets", k8stesting.DefaultWatchReactor(changes, nil))
	go changes.Delete(statefulSet(1))
	require.ErrorContains(t, unblock(t.Context(), client, "argocd", "controller", io.Discard),
		"StatefulSet argocd/controller: its controller has not seen its newest generation: it was deleted")
}
