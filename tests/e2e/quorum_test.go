package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refusesToMove gives every server the address of a new host. The update must refuse this move,
// which would start a second cluster.
func (s *stack) refusesToMove(t *testing.T, hosts *hostSet, all []node) {
	key, err := os.ReadFile(hosts.keyFile)
	require.NoError(t, err)
	moved := slices.Clone(all)
	fresh := own(t, "e2esw", hosts.net)
	for i := range moved {
		if moved[i].role == "server" {
			moved[i].host += 100
			fresh.nodes = append(fresh.nodes, moved[i])
			require.NoError(t, fresh.create(moved[i], key))
		}
	}
	s.configure(staging(hosts, moved...))
	for _, r := range []result{s.pulumi("preview"), s.up()} {
		s.refused(t, r, "found none: had server-1 "+hosts.net.address(all[0].host),
			"strata restore -s "+s.name+" --new-hosts")
	}
	for _, n := range fresh.nodes {
		fresh.must(n.name, "! test -e /var/lib/strata")
	}
	assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
	answers(t, addressOf(t, s.client(), "hello"))
}

// losesItsQuorum powers two of three servers off for good, and follows docs/operations.md: the last
// server keeps its data, and the dead ones are removed from the configuration and the state.
func (s *stack) losesItsQuorum(
	t *testing.T, hosts *hostSet, sections map[string]any, all []node,
) {
	lost := []string{"server-2", "server-3"}
	before := s.objects(t)
	for _, name := range lost {
		hosts.machineDo(t, name, "stop", "--hard")
		delete(before, "Node /"+name)
	}
	restore := []string{"restore", "--stack", s.name, "--current", "--from", "server-1",
		"--without", strings.Join(lost, ",")}
	plan := s.must(s.run(strata, restore...))
	assert.Contains(t, plan.output, "without the Nodes of server-2, server-3")
	back := s.must(s.run(strata, append(restore, "--yes")...))
	require.Regexp(t, recovered, back.output)
	assert.Equal(t, before, s.objects(t))

	left := slices.DeleteFunc(slices.Clone(all),
		func(n node) bool { return slices.Contains(lost, n.name) })
	s.configure(merged(sections, map[string]any{"hosts": hosts.hosts(left...),
		"k3s": map[string]any{"tokenGeneration": 1}}))
	dead := s.up()
	s.refused(t, dead)
	assert.Regexp(t, "k3s-server-[23]-claim", dead.output)
	s.must(s.run(strata, "repair", "--stack", s.name, "--forget", strings.Join(lost, ",")))
	s.must(s.up())
	s.must(s.up("--expect-no-changes"))
	assert.ElementsMatch(t, names(left), nodeNames(t, s.client()))
	s.healthy()
	answers(t, addressOf(t, s.client(), "hello"))
}
