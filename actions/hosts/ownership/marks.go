package ownership

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"strata/actions/hosts/inventory"
	"strata/config"
	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

// hostLimit bounds the change of one host.
const hostLimit = 30 * time.Second

// Marks changes the owner marks of hosts and machines.
type Marks struct {
	// To is the change of each owner mark: show, take or clear.
	To k3shost.Change
	// Owner is the owner that Take writes, with an empty Node.
	Owner k3shost.Owner
	// Stack and Project locate the state that has the logins of the hosts in machines.
	Stack, Project string
	// Out receives a line for each mark: its previous owner, and the change.
	Out io.Writer
}

// OfHosts changes the marks of existing hosts. It joins the errors of all hosts.
func (m Marks) OfHosts(ctx context.Context, hosts []inventory.Host) error {
	var failures []error
	for _, host := range hosts {
		output, err := m.onHost(ctx, host)
		if err != nil {
			failures = append(failures, ownerError(host.Host.Name, err))
			continue
		}
		_, _ = fmt.Fprintf(m.Out, "%s (%s): %s\n", host.Host.Name, host.Host.Address,
			m.describe(output))
	}
	return errors.Join(failures...)
}

// OfMachines changes the marks of the configuration's machines, and of the hosts in them. It joins
// the errors of all machines.
func (m Marks) OfMachines(ctx context.Context, cfg *config.Config) error {
	var failures []error
	for _, node := range cfg.Hosts.Nodes {
		was, err := m.onMachine(ctx, cfg, node)
		if err != nil {
			failures = append(failures, ownerError(node.Name, err))
			continue
		}
		_, _ = fmt.Fprintf(m.Out, "%s: the machine is marked as %s%s\n", node.Name, was,
			m.outcome("the machine"))
	}
	return errors.Join(failures...)
}

func ownerError(node string, err error) error {
	return fmt.Errorf("owner of %s: %w", node, err)
}

// onHost changes the mark of one host, and returns the script's output. If no host key is known, it
// accepts the key that the host presents and sends no password.
func (m Marks) onHost(ctx context.Context, host inventory.Host) (output string, err error) {
	ctx, cancel := context.WithTimeout(ctx, hostLimit)
	defer cancel()
	target, err := remote.Dialer{PrivateKey: host.Key}.FirstContact(ctx, host.Host.Target)
	if err != nil {
		return "", err
	}
	return k3shost.Run(ctx, target, host.Key, k3shost.ChangeScript(m.To, *m.Owner.WithNode(target.Name)))
}

// describe returns a message with the previous owner of a host and the change. output is the
// script's output.
func (m Marks) describe(output string) string {
	whose, rest, _ := strings.Cut(output, " ")
	is := map[string]string{
		"ours": "this cluster's", "free": "no stack's", "node": "this cluster's node " + rest,
		"other":    "another owner's (project, stack, node, cluster: " + rest + ")",
		"unmarked": "without a mark, but it has a K3s that this stack's state does not know",
	}[whose]
	return is + m.outcome("a K3s on it")
}

// outcome returns the part of the message that describes the change. keeps names the programs that
// the change does not stop.
func (m Marks) outcome(keeps string) string {
	return map[k3shost.Change]string{
		k3shost.Clear: "; the mark is gone now, and " + keeps + " keeps running",
		k3shost.Take:  "; it is this stack's now",
	}[m.To]
}
