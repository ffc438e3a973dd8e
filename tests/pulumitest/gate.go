package pulumitest

import (
	"strings"

	"strata/actions"
	"strata/actions/gate"
)

// GateCommand is the create command of a gate's resource.
var GateCommand = string(actions.Text(gate.Ask))

// Subcommand returns the subcommand that a command's text runs; empty for a text of no resource.
func Subcommand(text string) string {
	subcommand, ours := strings.CutPrefix(text, strings.TrimSuffix(GateCommand, "gate"))
	if !ours {
		return ""
	}
	return subcommand
}
