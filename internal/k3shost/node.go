// Package k3shost owns the operations on K3s that several steps share: the host's owner, its
// binary, and the check whether K3s runs with its configuration. It does not decide when they run:
// an install starts a stopped node, an upgrade changes a running one.
package k3shost

import (
	"context"
	_ "embed"
	"strings"

	"strata/internal/ssh/remote"
)

const (
	// Staged is the path to which a new binary is pushed, on all hosts at once. An install or
	// upgrade of the host copies it to Program.
	Staged = "/var/lib/strata/k3s"
	// Program is the path of the binary that the unit starts.
	Program = "/usr/local/bin/k3s"
)

//go:embed functions.sh
var stepFunctions string

// Functions defines shell functions of the steps; functions.sh lists the variables that it needs.
var Functions = RecordFunctions + stepFunctions

// Script returns a script with Functions and its variables in front. role is the host's role,
// server or agent; sha256 is the sum of the wanted binary. The script stops on a host of another
// owner. A nil owner, from a state before owner marks, checks nothing.
func Script(role, sha256 string, owner *Owner, script string, variables map[string]string) string {
	text := "set -eu\nROLE=" + remote.Quote(role) + " BINARY_SHA256=" + remote.Quote(sha256) + "\n"
	for name, value := range variables {
		text += name + "=" + remote.Quote(value) + "\n"
	}
	return text + owner.Insists() + Functions + script
}

// ServerCA is the CA of the certificate that a server's K3s presents.
const ServerCA = "/var/lib/rancher/k3s/server/tls/server-ca.crt"

// Run runs a Script on a host, and returns its output, without surrounding space.
func Run(ctx context.Context, target remote.Target, key []byte, script string) (string, error) {
	result, err := remote.Run(ctx, target, key, script)
	return strings.TrimSpace(string(result.Stdout)), err
}
