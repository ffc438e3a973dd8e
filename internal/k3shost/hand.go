package k3shost

import (
	_ "embed"

	"strata/internal/ssh/remote"
)

//go:embed hand.sh
var hand string

// ByHand is the script of what a person does with a host's mark: "release" or "adopt". It prints
// whose the host was, as Ownership words it, and changes nothing unless yes.
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
