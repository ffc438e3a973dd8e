package vault

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestBoundClaimOfUnschedulablePodIsAnnotated(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		phase  corev1.PersistentVolumeClaimPhase
		reason string
		last   time.Time
		nudges bool
	}{
		"bound, and the Pod still unschedulable": {phase: corev1.ClaimBound,
			reason: corev1.PodReasonUnschedulable, nudges: true},
		"again after nudgePause": {phase: corev1.ClaimBound,
			reason: corev1.PodReasonUnschedulable, last: now.Add(-nudgePause), nudges: true},
		"not again before nudgePause": {phase: corev1.ClaimBound,
			reason: corev1.PodReasonUnschedulable, last: now.Add(-time.Second)},
		"not while the claim is unbound": {phase: corev1.ClaimPending,
			reason: corev1.PodReasonUnschedulable},
		"not before the scheduler reports a reason": {phase: corev1.ClaimBound},
		"not for a Pod with a scheduling gate": {phase: corev1.ClaimBound,
			reason: corev1.PodReasonSchedulingGated},
	} {
		t.Run(name, func(t *testing.T) {
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "vault",
				Name: "data"}, Status: corev1.PersistentVolumeClaimStatus{Phase: c.phase}}
			if !c.last.IsZero() {
				claim.Annotations = map[string]string{nudged: c.last.Format(time.RFC3339)}
			}
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "vault", Name: "vault-0"}}
			pod.Spec.Volumes = []corev1.Volume{{Name: "config"},
				{Name: "data", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
						ClaimName: "data"}}}}
			if c.reason != "" {
				pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled,
					Status: corev1.ConditionFalse, Reason: c.reason}}
			}
			cluster := fake.NewClientset(claim)
			require.NoError(t, nudge(t.Context(), cluster, pod, now))
			after, err := cluster.CoreV1().PersistentVolumeClaims("vault").Get(t.Context(), "data",
				metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, c.nudges, after.Annotations[nudged] == now.Format(time.RFC3339))
		})
	}
}
