package e2e

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// keepBroken is the option of fault for machines that the story deletes without a repair.
const keepBroken = "keep broken"

// fault breaks a machine from outside, calls run, and repairs the machine.
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
