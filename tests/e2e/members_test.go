package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
	s.must(s.health())
	answers(t, addressOf(t, s.client(), "hello"))
	s.configure(staging(hosts, all...))
	s.must(s.up())
	assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
	s.must(s.up("--expect-no-changes"))
}
