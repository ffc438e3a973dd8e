// Package hostrun runs a resource's scripts on one host over SSH: a bash script as root when it is
// created or changes, and another one when it goes. It does not own the scripts, nor the login to
// the host (package remote).
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

// Create runs the script of a host, with the private key in STRATA_SSH_KEY.
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

// Delete runs the script of a host whose resource goes. It stands in states with its input, so it
// must go on working as it is.
var Delete = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	return input.Run(ctx, true, call.SSHKey(), call.Stdout)
})

// Input is the input of Create and Delete. It stands in the states of stacks, whose resources are
// deleted with it.
type Input struct {
	Target remote.Target `json:"target"`
	// Script is bash; it must not be secret, since it is an argument on the host.
	Script string `json:"script"`
	// Stdin is the standard input of Script. It may be secret, and then the whole input is.
	Stdin string `json:"stdin,omitempty"`
	// Delete is the script that runs when the resource goes; empty: nothing.
	Delete string `json:"delete,omitempty"`
	// Founds names the stack whose cluster the script may start; empty: it may not. The script gets
	// FOUNDS=true if the stack's state shows no cluster, else CA_HASH. They are no input: they
	// change with the cluster, and the script would run again for that.
	Founds string `json:"founds,omitempty"`
	// Timeout bounds either script, with the way to the host.
	Timeout metav1.Duration `json:"timeout"`
}

// Run runs the script, or with gone the one of the delete, and writes its lines to out as they
// come, both streams in one. key is remote.Dialer's key. The error names the host and the exit
// code, and neither the script nor its input.
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

// Bash wraps a bash script for any POSIX shell: strict, with both streams in one, and with lines of
// at most 2,000 characters. A line over 64 KiB stops the reader of Pulumi's command provider for
// ever (pulumi-command 1.2.1, provider/pkg/provider/util/logging.go).
func Bash(script string) string {
	return "exec bash -o pipefail -c " +
		remote.Quote(`bash -euo pipefail -c "$0" 2>&1 | cut -c1-2000`) + " " + remote.Quote(script)
}
