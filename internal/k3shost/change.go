package k3shost

import (
	_ "embed"

	"strata/internal/ssh/remote"
)

// Change names a change of a host's or machine's owner mark that a user requests.
type Change string

const (
	// Show changes nothing.
	Show Change = "show"
	// Take replaces the mark of another owner by this cluster's. If K3s is installed on the host,
	// it must have this cluster's token.
	Take Change = "take"
	// Clear removes the mark of any owner.
	Clear Change = "clear"
)

//go:embed change.sh
var change string

// ChangeScript returns a script that changes a host's mark. It prints the previous owner in the
// format of Ownership.
func ChangeScript(to Change, owner Owner) string {
	text := "set -eu\n"
	for name, value := range owner.Variables() {
		text += name + "=" + remote.Quote(value) + "\n"
	}
	return text + Ownership + change + string(to) + "\n"
}
