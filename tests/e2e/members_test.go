package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Nodes leave and return while the rest serves: an agent, and two servers at once of which one bootstrapped the cluster.
func TestMembersLeaveAndReturn(t *testing.T) {
	net := network{"stl0", "10.14.0"}
	all := []node{
		{"server-1", "server", 11}, {"server-2", "server", 12}, {"server-3", "server", 13},
		{"agent-1", "agent", 21}, {"agent-2", "agent", 22},
	}
	hosts := lend(t, "e2el", net, all...)
	s := newStack(t, "e2e-members", staging(hosts, all...))
	s.step("it comes up", func(*testing.T) { s.must(s.up()) })
	s.step("a Service answers", func(t *testing.T) {
		serve(t, s.client(), "hello")
		answers(t, addressOf(t, s.client(), "hello"))
	})
	for _, name := range []string{"agent-2", "server-1"} {
		s.step(name+" leaves and returns", func(t *testing.T) { s.leavesAndReturns(t, hosts, all, name) })
	}
	s.step("destroy", func(*testing.T) { s.must(s.destroy()) })
}

// leavesAndReturns removes one node from the configuration and puts it back. The rest serves all the while.
func (s *stack) leavesAndReturns(t *testing.T, hosts *lent, all []node, name string) {
	rest := []node{}
	for _, n := range all {
		// An even number of servers is refused, so a second one leaves with the first.
		if n.name == name || strings.HasPrefix(name, "server") && n.name == "server-2" {
			continue
		}
		rest = append(rest, n)
	}
	s.configure(staging(hosts, rest...))
	s.must(s.up())
	assert.ElementsMatch(t, names(rest), nodeNames(t, s.client()))
	s.must(s.run(strata, "health", "--stack", s.name))
	answers(t, addressOf(t, s.client(), "hello"))
	s.configure(staging(hosts, all...))
	s.must(s.up())
	assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
	s.must(s.up("--expect-no-changes"))
}
