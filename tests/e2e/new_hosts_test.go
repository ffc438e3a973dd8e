package e2e

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// All hosts are lost at once. A snapshot is restored on new hosts, which have no data of the
// cluster. docs/operations.md recommends that to move the only server.
func TestNewHosts(t *testing.T) {
	t.Parallel()
	net := network{"stnh0", "10.50.0"}
	nodes := []node{{"server-1", "server", 11}, {"agent-1", "agent", 21}}
	moved := []node{{"server-1", "server", 12}, {"agent-1", "agent", 22}}
	hosts := existingHosts(t, "e2enh", net, nodes...)
	sections := impatient(hosts, nodes...)
	s := newStack(t, "e2e-newhosts", sections)
	var file string
	var before map[string]string
	s.step("a cluster gets an object, and a snapshot is taken", func(t *testing.T) {
		s.must(s.up())
		_, err := s.client().CoreV1().ConfigMaps("default").Create(t.Context(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "orders"},
				Data: map[string]string{"count": "17"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		folder := t.TempDir()
		snapshot := s.must(s.run(strata, "snapshot", "--stack", s.name, "--to", folder))
		file = filepath.Join(s.dir, snapshotName.FindStringSubmatch(snapshot.output)[1])
		s.must(s.run("mv", filepath.Join(folder, filepath.Base(file)), file))
		before = s.objects(t)
	})
	s.step("the cluster's tokens change after the snapshot",
		func(t *testing.T) { s.changesTokens(t, hosts, sections, "") })
	fresh := existingHosts(t, "e2eni", net, moved...)
	sections = impatient(fresh, moved...)
	sections["k3s"] = map[string]any{"tokenGeneration": 1}
	s.configure(sections)
	s.step("an update onto new hosts is refused before any change", func(t *testing.T) {
		for _, r := range []result{s.pulumi("preview"), s.up()} {
			s.refused(t, r, "found none: had server-1 "+net.address(11)+", to be server-1 "+
				net.address(12), "strata restore -s "+s.name+" --new-hosts")
		}
		for _, n := range moved {
			fresh.must(n.name, "! test -e /var/lib/strata")
		}
		s.refused(t, s.restoresOnto(file), "the host key of server-1 is not known")
	})
	for _, one := range sections["hosts"].(map[string]any)["nodes"].([]any) {
		entry := one.(map[string]any)
		key := strings.TrimSpace(fresh.must(entry["name"].(string),
			"cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub"))
		entry["ssh"] = map[string]any{"hostKey": key}
	}
	s.configure(sections)
	s.step("a restore onto new hosts is refused while the old server runs", func(t *testing.T) {
		s.refused(t, s.restoresOnto(file), "K3s still runs on server-1 "+net.address(11))
		hosts.delete()
		s.must(s.restoresOnto(file))
	})
	s.step("the next update restores all objects", func(t *testing.T) {
		s.must(s.up())
		after := s.objects(t)
		for _, all := range []map[string]string{before, after} {
			maps.DeleteFunc(all, func(what,
				_ string) bool {
				return strings.HasPrefix(what, "Node ")
			})
		}
		assert.Equal(t, before, after)
		found, err := s.client().CoreV1().ConfigMaps("default").Get(t.Context(), "orders",
			metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, "17", found.Data["count"])
		assert.ElementsMatch(t, names(moved), nodeNames(t, s.client()))
		fresh.must("server-1", "! test -e /var/lib/strata/restore.snapshot")
		s.must(s.health())
		s.must(s.up("--expect-no-changes"))
	})
	s.step("destroy", func(*testing.T) { s.must(s.destroy()) })
}

// restoresOnto restores a snapshot on the new hosts.
func (s *stack) restoresOnto(file string) result {
	return s.run(strata, "restore", "--stack", s.name, "--config-file", s.config, "--new-hosts",
		"--file", file, "--yes")
}
