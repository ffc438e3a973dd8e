package scaffold

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"strata/internal/text/table"
)

// Write prints the findings, the proposal, and the unverified keys that the user must compare.
func (r *Result) Write(out io.Writer) error {
	rows := table.New(out, "NODE", "ROLE", "ADDRESS", "SYSTEM", "CPUS", "MEMORY", "HOST KEY", "")
	unverified := false
	for _, node := range r.Proposal.Nodes {
		said := "in known_hosts"
		if !node.Pin.Known {
			said, unverified = "not verified", true
		}
		rows.Row(node.Name, string(node.Role), node.Address.String(), comment(node.Facts.OS),
			fmt.Sprint(node.Facts.CPUs), fmt.Sprintf("%d MiB", node.Facts.MemoryMiB),
			node.Pin.Fingerprint, said)
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nWritten: %s. Read it: each value has its reason beside it.\n",
		filepath.Clean(r.File))
	if unverified {
		_, err = fmt.Fprint(out,
			"\nHost keys that are not verified were seen over the network just now "+
				"(--accept-new), and are pinned in the file. Unless you have, compare each with\n"+
				"what the host itself says, for example on its console: ssh-keygen -lf "+
				"/etc/ssh/ssh_host_ed25519_key.pub\n")
	}
	if err != nil {
		return err
	}
	for i, later := range r.Later {
		if i == 0 {
			// If this fails, the next write returns the error.
			_, _ = fmt.Fprint(out, "\nNot ready yet, which may pass by itself:\n")
		}
		if _, err := fmt.Fprintln(out, "  "+later.Error()); err != nil {
			return err
		}
	}
	return nil
}

// WriteNext tells the user to exclude the range from DHCP, and prints the next commands.
func (r *Result) WriteNext(out io.Writer, env string) error {
	secrets := ""
	for _, secret := range r.Proposal.Secrets() {
		secrets += "  " + secret.Command + "\n"
	}
	_, err := fmt.Fprintf(out, "\nExclude %s from what a DHCP server of %s hands out.",
		r.Proposal.Pool.Range, r.Proposal.Subnet)
	return errors.Join(err, WriteNext(out, r.Proposal.Stack, env, secrets))
}

// WriteNext prints the commands that deploy a stack whose file is written. env is the shell file
// that selects the state and its passphrase; empty if the user selects them in another way. secrets
// are the commands that set the stack's secrets.
func WriteNext(out io.Writer, stack, env, secrets string) error {
	if env != "" {
		env = "  . " + env + "\n"
	}
	_, err := fmt.Fprintf(out, " Next:\n\n%[2]s  pulumi stack init %[1]s\n%[3]s  strata fetch\n"+
		"  strata preflight -s %[1]s\n  pulumi up -s %[1]s\n", stack, env, secrets)
	return err
}
