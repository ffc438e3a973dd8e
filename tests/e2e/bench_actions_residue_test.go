//go:build bench

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/k3s/drain"
)

// partsOnHost prints the incomplete files on a host, one a line.
const partsOnHost = `for folder in /etc/rancher /usr/local/bin /var/lib/strata ` + imagesFolder + ` ` + snapshotsFolder + ` /root /tmp; do
	if [ -d $folder ]; then
		find $folder -name '.strata-push.*' -o -name '*.new' -o -name '*.cut' -o -name '*.part' -o -name 'owner.??????' -o -name 'tmp.??????????'
	fi
done
`

// leftOnHost prints incomplete files on a host, and locks and marks that exist only during an
// action.
const leftOnHost = partsOnHost + `find /var/lib/strata -name restoring
if [ -d ` + snapshotsFolder + ` ]; then find ` + snapshotsFolder + ` -name '*-ahead'; fi
flock -n /run/strata-k3s.lock true || echo "/run/strata-k3s.lock is held"
sed -n 's/^strata-fault //p' /proc/mounts
pgrep -af 'etcd-snapsho[t]|cluster-rese[t]|k3s-install.s[h]'
for unit in k3s k3s-agent; do
	if [ -e /etc/systemd/system/$unit.service ]; then
		for is in enabled active; do systemctl -q is-$is $unit || echo "$unit is not $is"; done
	fi
done
`

// leavesNothing asserts that an interrupted action left nothing on the hosts, in the cluster, in
// the state and on this machine.
func (a *acted) leavesNothing(t *testing.T) {
	t.Helper()
	for _, n := range a.nodes() {
		assert.Empty(t, a.machines.must(n.name, leftOnHost), n.name)
	}
	nodes, err := a.client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	found := []string{}
	for _, node := range nodes.Items {
		found = append(found, node.Name)
		assert.False(t, node.Spec.Unschedulable, "%s is cordoned", node.Name)
		assert.NotContains(t, node.Annotations, drain.Annotation, node.Name)
	}
	assert.ElementsMatch(t, names(a.nodes()), found)
	assert.Empty(t, a.leftHere(t))
	made := []string{}
	for _, machine := range allMachines(t) {
		if name, ours := strings.CutPrefix(machine.Name, a.machines.machine("")); ours {
			made = append(made, name)
			assert.Equal(t, "running", machine.State, name)
		}
	}
	assert.ElementsMatch(t, names(a.nodes()), made)
}

// wholeSnapshot matches the file name of a complete snapshot.
var wholeSnapshot = regexp.MustCompile(`^on-demand-[a-z0-9-]+$`)

// leftHere returns the locks of the state, and incomplete files of actions on this machine.
func (a *acted) leftHere(t *testing.T) []string {
	t.Helper()
	left := []string{}
	require.NoError(t, filepath.WalkDir(a.stateFolder(),
		func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.Contains(path, "/locks/") {
				left = append(left, path)
			}
			return err
		}))
	found, err := filepath.Glob(filepath.Join(os.TempDir(), "strata-restore-*"))
	require.NoError(t, err)
	left = append(left, found...)
	copies, err := os.ReadDir(a.folder)
	require.NoError(t, err)
	for _, entry := range copies {
		if !wholeSnapshot.MatchString(entry.Name()) {
			left = append(left, filepath.Join(a.folder, entry.Name()))
		}
	}
	return left
}
