// Package k3snode owns what is done to K3s on a host by more than one step: which binary it runs, and whether it runs what is
// configured. It does not own when: an install starts a node that does not run, an upgrade changes one that does.
package k3snode

import _ "embed"

const (
	// Staged is where a binary waits for its turn; the push puts it there on all hosts at once.
	Staged = "/var/lib/strata/k3s"
	// Program is what the unit starts.
	Program = "/usr/local/bin/k3s"
)

// Functions are shell functions of the steps; the file says what has to be set before.
//
//go:embed functions.sh
var Functions string
