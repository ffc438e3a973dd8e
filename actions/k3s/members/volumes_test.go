package members

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"strata/internal/ssh/remote"
)

// volume returns a volume that is bound to the claim default/data. It can be used on nodes whose
// label has one of the values, or everywhere without values.
func volume(name, label string, values ...string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			ClaimRef: &corev1.ObjectReference{Namespace: "default",
				Name: "data"},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			Capacity: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse("1Gi")},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
	}
	if len(values) > 0 {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{
			Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: label,
					Operator: corev1.NodeSelectorOpIn, Values: values}},
			}}}}
	}
	return v
}

// released returns a volume whose claim is gone.
func released(
	v *corev1.PersistentVolume, policy corev1.PersistentVolumeReclaimPolicy,
) *corev1.PersistentVolume {
	v.Status.Phase, v.Spec.PersistentVolumeReclaimPolicy = corev1.VolumeReleased, policy
	return v
}

func TestNodeWithVolumesIsNotRemovedWithoutConsent(t *testing.T) {
	const hostname, zone = corev1.LabelHostname, corev1.LabelTopologyZone
	node := func(name, in string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name,
			Labels: map[string]string{hostname: name, zone: in}}}
	}
	nodes := []runtime.Object{node("server-1", "a"), node("agent-1", "b"), node("agent-2", "a")}
	for name, test := range map[string]struct {
		leave   []string
		volume  *corev1.PersistentVolume
		discard []string
		refused string
	}{
		"the only node that can use the volume": {[]string{"agent-1"},
			volume("pv", hostname, "agent-1"), nil,
			"agent-1 holds the volumes of default/data (1Gi)"},
		"consent for another node": {[]string{"agent-1"},
			volume("pv", hostname, "agent-1"), []string{"agent-2"},
			"strata:k3s.discardVolumesOf: [agent-1]"},
		"consent for the node": {[]string{"agent-1"},
			volume("pv", hostname, "agent-1"), []string{"agent-1"}, ""},
		"another node's volume": {[]string{"agent-1"},
			volume("pv", hostname, "agent-2"), nil, ""},
		"a volume for all nodes": {[]string{"agent-1"}, volume("pv", ""), nil, ""},
		"a zone of which one node stays": {[]string{"agent-2"}, volume("pv", zone, "a"),
			nil, ""},
		"a zone of which no node stays": {[]string{"agent-1"}, volume("pv", zone, "b"), nil,
			"agent-1 holds"},
		"both nodes that can use the volume": {[]string{"agent-1", "agent-2"},
			volume("pv", hostname, "agent-1", "agent-2"), nil,
			"agent-1 holds the volumes of default/data (1Gi); agent-2 holds"},
		"a member without a Node": {[]string{"agent-9"},
			volume("pv", hostname, "agent-9"), nil, "agent-9 holds"},
		"a released volume with policy Retain": {[]string{"agent-1"},
			released(volume("pv", hostname, "agent-1"), corev1.PersistentVolumeReclaimRetain), nil,
			"agent-1 holds"},
		"a released volume with policy Delete": {[]string{"agent-1"},
			released(volume("pv", hostname, "agent-1"), corev1.PersistentVolumeReclaimDelete),
			nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(append([]runtime.Object{test.volume}, nodes...)...)
			var leaving []Member
			for _, name := range test.leave {
				leaving = append(leaving, Member{Target: remote.Target{Name: name}, Role: "agent"})
			}
			err := (&Remover{Client: client, Log: io.Discard}).KeepsVolumes(t.Context(), leaving,
				test.discard)
			for _, action := range client.Actions() {
				assert.Equal(t, "list", action.GetVerb(), "nothing is changed")
			}
			if test.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "refused, nothing was changed")
			require.ErrorContains(t, err, test.refused)
		})
	}
}
