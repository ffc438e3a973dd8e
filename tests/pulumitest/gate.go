package pulumitest

import (
	"strings"

	"strata/actions"
	"strata/actions/gate"
)

// GateCommand is the create command of a gate's resource.
var GateCommand = string(actions.Text(gate.Ask))

// Subcommand returns the subcommand that a resource's command runs; empty if it is not ours.
func Subcommand(text string) string {
	subcommand, ours := strings.CutPrefix(text, strings.TrimSuffix(GateCommand, "gate"))
	if !ours {
		return ""
	}
	return subcommand
}
