package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// converges runs `pulumi cancel`, which Pulumi requests after a kill, then an update, and then an
// update that must change nothing. It returns an error if one of these updates fails.
func (s *stack) converges() error {
	s.unlock()
	for _, more := range [][]string{nil, {"--expect-no-changes"}} {
		if r := s.up(more...); r.err != nil {
			s.t.Logf("%s\n%s", r.line, r.output)
			return r.err
		}
	}
	return nil
}

// unlock runs the command that Pulumi requests after a kill.
func (s *stack) unlock() {
	if r := s.run("pulumi", "cancel", "--yes", "--stack", s.name); r.err != nil &&
		!strings.Contains(r.output, "no locks") {
		s.t.Logf("%s", r.output)
	}
}

// nothingLeft asserts that a destroyed stack left no machine and no bridge.
func (s *stack) nothingLeft(t *testing.T, machines *hostSet) {
	assert.Empty(t, s.resources())
	assert.NotContains(t, machines.running(t), s.name+"-")
	assert.Error(t, exec.Command("ip", "link", "show", machines.net.bridge).Run(),
		"the bridge %s is still there", machines.net.bridge)
}
