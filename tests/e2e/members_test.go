package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// leavesAndReturns removes a node from the configuration and adds it again, while the others serve.
// discards are nodes whose volumes may be deleted.
func (s *stack) leavesAndReturns(
	t *testing.T, hosts *hostSet, all []node, name string, discards ...any,
) {
	rest := []node{}
	for _, n := range all {
		// Strata refuses an even number of servers, so server-2 leaves with the first server.
		if n.name == name || strings.HasPrefix(name, "server") && n.name == "server-2" {
			continue
		}
		rest = append(rest, n)
	}
	configured := staging(hosts, rest...)
	if len(discards) > 0 {
		configured["k3s"] = map[string]any{"discardVolumesOf": discards}
	}
	s.configure(configured)
	if strings.HasPrefix(name, "server") {
		s.killedUp(t, "k3s-members updated", func() {})
		staysAway(t, hosts, name)
	}
	s.must(s.up())
	assert.ElementsMatch(t, names(rest), nodeNames(t, s.client()))
	s.healthy()
	answers(t, addressOf(t, s.client(), "hello"))
	if strings.HasPrefix(name, "server") { // it must ask the other servers without curl
		hosts.must(name, `rm "$(command -v curl)"`)
	}
	s.configure(staging(hosts, all...))
	s.must(s.up())
	assert.ElementsMatch(t, names(all), nodeNames(t, s.client()), "one cluster has them all")
	s.must(s.up("--expect-no-changes"))
}

// staysAway reboots a server that was removed from the cluster but is not uninstalled yet. Its K3s
// must not start, or it would become a member again.
func staysAway(t *testing.T, hosts *hostSet, name string) {
	t.Helper()
	hosts.machineDo(t, name, "stop")
	hosts.machineDo(t, name, "start")
	hosts.must(name, "systemctl is-system-running --wait | grep -xE 'running|degraded'") // booted
	state := hosts.must(name, "test -e /etc/systemd/system/k3s.service && { systemctl is-enabled "+
		"k3s; systemctl is-active k3s; } || test $? = 3")
	assert.Equal(t, "disabled\ninactive\n", state)
}

// kept is the folder of a volume on its node. Like K3s's own local volumes, it is below a folder
// that an uninstall deletes.
const kept = "/var/lib/rancher/k3s/storage/orders"

// keepsAVolume removes a node with a local volume from the configuration. Without consent to delete
// the volume, nothing may change.
func (s *stack) keepsAVolume(t *testing.T, hosts *hostSet, all []node, name string) {
	client := s.client()
	hosts.must(name, "mkdir -p "+kept+" && echo 17 > "+kept+"/count")
	bind(t, client, "default", "orders", onDisk(name))
	rest := slices.DeleteFunc(slices.Clone(all), func(n node) bool { return n.name == name })
	s.configure(staging(hosts, rest...))
	s.refused(t, s.up(), name+" holds the volumes of default/orders (1Gi)",
		"strata:k3s.discardVolumesOf: ["+name+"]")
	assert.Equal(t, "17", strings.TrimSpace(hosts.must(name, "cat "+kept+"/count")))
	found, err := client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	assert.False(t, found.Spec.Unschedulable, "it was not even cordoned")
	s.leavesAndReturns(t, hosts, all, name, name)
	hosts.must(name, "! test -e "+kept)
	unbind(t, client)
}

// onDisk returns a volume on the disk of a node.
func onDisk(node string) corev1.PersistentVolumeSpec {
	return corev1.PersistentVolumeSpec{
		PersistentVolumeSource: corev1.PersistentVolumeSource{
			Local: &corev1.LocalVolumeSource{Path: kept}},
		NodeAffinity: &corev1.VolumeNodeAffinity{
			Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname,
					Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
			}}}},
	}
}

// bind creates a claim, and a volume of the same name that is bound to it.
func bind(
	t *testing.T, client kubernetes.Interface, namespace, name string,
	volume corev1.PersistentVolumeSpec,
) {
	t.Helper()
	size, none := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}, ""
	access := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	volume.Capacity, volume.AccessModes = size, access
	volume.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	_, err := client.CoreV1().PersistentVolumes().Create(t.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: volume,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(),
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PersistentVolumeClaimSpec{
				StorageClassName: &none, VolumeName: name, AccessModes: access,
				Resources: corev1.VolumeResourceRequirements{Requests: size},
			},
		}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, func(c require.TestingT) { require.True(c, isBound(c, client, namespace, name)) })
}

// isBound reports whether a claim is bound to its volume.
func isBound(t require.TestingT, client kubernetes.Interface, namespace, name string) bool {
	claim, err := client.CoreV1().PersistentVolumeClaims(namespace).Get(context.Background(), name,
		metav1.GetOptions{})
	require.NoError(t, err)
	return claim.Status.Phase == corev1.ClaimBound && claim.DeletionTimestamp == nil
}

// unbind deletes the objects that bind made.
func unbind(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	require.NoError(t, client.CoreV1().PersistentVolumeClaims("default").Delete(t.Context(),
		"orders", metav1.DeleteOptions{}))
	require.NoError(t, client.CoreV1().PersistentVolumes().Delete(t.Context(), "orders",
		metav1.DeleteOptions{}))
}
