package k3shost

import (
	_ "embed"

	"strata/internal/ssh/remote"
)

//go:embed hand.sh
var hand string

// ByHand returns a script that changes a host's mark by hand: "release" or "adopt". The script
// prints the former owner in the words of Ownership, and changes nothing unless yes.
func ByHand(action string, owner Owner, yes bool) string {
	text := "set -eu\nyes=no\n"
	if yes {
		text = "set -eu\nyes=yes\n"
	}
	for name, value := range owner.Variables() {
		text += name + "=" + remote.Quote(value) + "\n"
	}
	return text + Ownership + hand + action + "\n"
}
