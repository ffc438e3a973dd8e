package e2e

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// keepBroken is an option that makes fault leave the machine broken, because it is deleted
// afterwards.
const keepBroken = "keep broken"

// fault breaks a machine from outside while run runs.
func (l *hostSet) fault(t *testing.T, kind, name string, run func(), options ...string) {
	t.Helper()
	does := func(subcommand string) {
		cmd := exec.Command(lab, "fault", subcommand, kind, l.machine(name))
		cmd.Dir = root
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, "fault %s %s: %s", subcommand, kind, output)
	}
	does("inject")
	if !slices.Contains(options, keepBroken) {
		defer does("clear")
	}
	run()
}
