// Package k3shost owns what is done to K3s on a host by more than one step: whose the host is, which
// binary it runs, and whether it runs what is configured. It does not own when: an install starts a
// node that does not run, an upgrade changes one that does.
package k3shost

import (
	"context"
	_ "embed"
	"strings"

	"strata/internal/ssh/remote"
)

const (
	// Staged holds a binary until its turn; the push puts it there on all hosts at once.
	Staged = "/var/lib/strata/k3s"
	// Program is started by the unit.
	Program = "/usr/local/bin/k3s"
)

// Functions are shell functions of the steps; the file says what has to be set before.
//
//go:embed functions.sh
var Functions string

// Script is a script behind Functions, with its variables set before. role is the host's, server or
// agent, and sha256 the binary's that it is to run. It does nothing on a host that is not owner's;
// nil, in a state from before there were marks, checks nothing.
func Script(role, sha256 string, owner *Owner, script string, variables map[string]string) string {
	text := "set -eu\nROLE=" + remote.Quote(role) + " BINARY_SHA256=" + remote.Quote(sha256) + "\n"
	for name, value := range variables {
		text += name + "=" + remote.Quote(value) + "\n"
	}
	return text + owner.Insists() + Functions + script
}

// ServerCA has the CA of the certificate that a server's K3s shows.
const ServerCA = "/var/lib/rancher/k3s/server/tls/server-ca.crt"

// Run runs a Script on a host, and returns what it printed, without space around it.
func Run(ctx context.Context, target remote.Target, key []byte, script string) (string, error) {
	client, err := remote.Dial(ctx, target, key)
	if err != nil {
		return "", err
	}
	defer func() { _ = client.Close() }()
	result, err := client.Run(ctx, script, nil)
	return strings.TrimSpace(string(result.Stdout)), err
}
