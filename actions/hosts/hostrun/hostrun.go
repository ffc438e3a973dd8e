// Package hostrun runs bash scripts of a Pulumi resource as root on one host over SSH: one when the
// resource is created or changes, another when it is deleted. The login is in package remote.
package hostrun

import (
	"context"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/k3s/members"
	"strata/actions/verb"
	"strata/internal/ssh/remote"
)

// Create runs Script on a host. The SSH private key is in STRATA_SSH_KEY.
var Create = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	if input.Founds != "" {
		past, err := members.ReadPastHere(ctx, input.Founds)
		if err != nil {
			return err
		}
		input.Script = fmt.Sprintf("FOUNDS=%t\nCA_HASH=%s\n", !past.Cluster,
			remote.Quote(past.CAHash)) + input.Script
	}
	return input.Run(ctx, false, call.SSHKey(), call.Stdout)
})

// Delete runs the Delete script of a host whose resource is deleted. Old states contain this
// command with its input, so it must stay compatible.
var Delete = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	return input.Run(ctx, true, call.SSHKey(), call.Stdout)
})

// Input is the input of Create and Delete. Pulumi's state stores it, so its JSON keys must not
// change.
type Input struct {
	Target remote.Target `json:"target"`
	// Script is a bash script. It must not contain secrets, because it is an argument of a process
	// on the host.
	Script string `json:"script"`
	// Stdin is the standard input of Script. If Stdin is secret, the whole Input is secret.
	Stdin string `json:"stdin,omitempty"`
	// Delete is the script that runs when the resource is deleted. Default: none.
	Delete string `json:"delete,omitempty"`
	// Founds is the stack's name if Script may start a new cluster; otherwise empty. Script then
	// gets FOUNDS (true if the state has no trace of a cluster) and CA_HASH as variables. They are
	// not inputs, because they change with the cluster, and would make the script run again.
	Founds string `json:"founds,omitempty"`
	// Timeout bounds each script, including the connection to the host.
	Timeout metav1.Duration `json:"timeout"`
}

// Run runs Script, or the Delete script if gone is true. It writes stdout and stderr to out, line
// by line. key is the SSH private key (remote.Dialer). The error has the host and the exit code,
// but neither the script nor its input.
func (i Input) Run(ctx context.Context, gone bool, key []byte, out io.Writer) error {
	script, stdin := i.Script, i.Stdin
	if gone {
		script, stdin = i.Delete, ""
	}
	if script == "" {
		return nil
	}
	err := remote.Stream(ctx, i.Target, key, Bash(script), []byte(stdin),
		func(line string) { _, _ = fmt.Fprintln(out, line) })
	var ended *remote.ExitError
	if errors.As(err, &ended) {
		return fmt.Errorf("script: %w; what it printed last says why", err)
	}
	return err
}

// Bash wraps a bash script for any POSIX shell: with strict options, with stderr in stdout, and
// with lines cut to 2,000 characters. A line over 64 KiB would hang Pulumi's command provider
// (pulumi-command 1.2.1, provider/pkg/provider/util/logging.go).
func Bash(script string) string {
	return "exec bash -o pipefail -c " +
		remote.Quote(`bash -euo pipefail -c "$0" 2>&1 | cut -c1-2000`) + " " + remote.Quote(script)
}
