package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Strata uses the lab's machines as existing hosts. `make up` and `make down` (hack/stack) create
// and delete them by the same commands of the lab.
func TestLabMachines(t *testing.T) {
	t.Parallel()
	net := network{"lab-e2e-lab", "10.48.0"}
	all := []node{{"server-1", "server", 11}, {"agent-1", "agent", 21}, {"agent-2", "agent", 22}}
	machines := own(t, "e2e-lab", net, all...)
	folder := filepath.Join(root, ".strata/lab/e2e-lab")
	require.NoError(t, os.RemoveAll(folder))
	sections := func(nodes ...node) map[string]any {
		hosts := machines.hosts(nodes...)
		hosts["ssh"] = map[string]any{"user": "root", "keyFile": ".strata/lab/e2e-lab/key"}
		return map[string]any{
			"hosts":       hosts,
			"metallb":     map[string]any{"addresses": []any{net.pool()}},
			"certManager": map[string]any{"enabled": false},
		}
	}
	s := newStack(t, "e2e-lab", sections(all...))
	does := func(verb string) []string {
		return []string{"machines", verb, s.name, "--config-file",
			s.config}
	}
	refused := func(t *testing.T) {
		t.Helper()
		r := s.up()
		s.refused(t, r, ".strata/lab/e2e-lab/key", "make up makes them or starts them")
		assert.NotContains(t, r.output, "hosts-server-1", "no host is waited for")
	}
	s.step("an update without machines names the command that creates them", refused)
	s.step("a second lab command completes a killed one", func(t *testing.T) {
		s.killed(t, "making bridge lab-e2e-lab", func() {}, lab, does("up")...)
		refused(t)
		s.must(s.run(lab, does("up")...))
		s.must(s.run(lab, does("up")...))
	})
	s.step("an update uses the machines as existing hosts", func(t *testing.T) {
		s.must(s.up())
		assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
		s.must(s.run(lab, does("prune")...))
		s.must(s.up("--expect-no-changes"))
	})
	s.step("a removed node leaves the cluster before its machine is deleted", func(t *testing.T) {
		s.configure(sections(all[:2]...))
		s.must(s.run(lab, does("up")...))
		r := s.must(s.up())
		assert.Contains(t, r.output, "k3s-agent-2-claim")
		assert.ElementsMatch(t, names(all[:2]), nodeNames(t, s.client()))
		assert.Contains(t, machines.running(t), "e2e-lab-agent-2 ")
		s.must(s.run(lab, does("prune")...))
		assert.NotContains(t, machines.running(t), "e2e-lab-agent-2 ")
		s.must(s.up("--expect-no-changes"))
	})
	s.step("after a reboot an update names the command, and destroy leaves nothing",
		func(t *testing.T) {
			s.must(s.run(lab, "machines", "stop", "--hard", "--all", "--prefix", "e2e-lab-"))
			link, err := os.Readlink(filepath.Join(folder, "key"))
			require.NoError(t, err)
			require.NoError(t, os.Remove(link)) // it is in /run, which a reboot empties
			refused(t)
			s.must(s.run(lab, "machines", "start", "--all", "--prefix", "e2e-lab-"))
			s.must(s.destroy())
			s.must(s.run(lab, does("down")...))
			s.nothingLeft(t, machines)
			assert.NoDirExists(t, folder)
			s.must(s.run(lab, does("down")...))
		})
}
