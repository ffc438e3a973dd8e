package components

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
)

// departure configures the marks that say a machine is about to be deleted.
type departure struct {
	// command replaces the machines that are marked still, keep takes the marks back, and mark sets
	// them.
	command    *local.CommandArgs
	keep, mark actions.Verb
	// protected leaves the machines as they are, whatever broke off.
	protected bool
	// limit bounds each command.
	limit metav1.Duration
}

// takeUp registers the command between the machines and all that lives on them. One command speaks
// of all machines. It depends on each, so a destroy deletes it before the first of them and after
// all that lives on one; it then says of all that they are about to go. Only a run that makes it
// again asks; if a destroy had marked them, and broke off, it has all machines recreated that are
// from before, each by its own registered command (docs/adr/0030).
func (h *Hosts) takeUp(ctx *pulumi.Context, name string, d departure) error {
	machines := make([]pulumi.Resource, 0, len(h.All))
	for _, host := range h.All {
		machines = append(machines, host.Machine)
	}
	d.command.Update = actions.Text(d.keep)
	if !d.protected {
		d.command.Delete = actions.Text(d.mark)
	}
	leaving, err := local.NewCommand(ctx, name+"-leaving", d.command,
		append(childOf(h, machines...), bounded(d.limit))...)
	if err != nil {
		return fmt.Errorf("machines that leave: %w", err)
	}
	for _, host := range h.All {
		if host.Present, err = h.present(ctx, name, host, leaving, d.limit); err != nil {
			return fmt.Errorf("machine %s: presence: %w", host.Node.Name, err)
		}
	}
	return nil
}

// present registers the command that recreates a machine whose deletion broke off, and starts one
// that does not run: its input is that of the machine's own command.
func (h *Hosts) present(
	ctx *pulumi.Context, name string, host *Host, leaving pulumi.Resource, limit metav1.Duration,
) (pulumi.Resource, error) {
	made := host.command
	command := &local.CommandArgs{
		Create: made.Update, Stdin: made.Stdin, Environment: made.Environment,
		Logging: made.Logging, AddPreviousOutputInEnv: pulumi.Bool(false),
	}
	return local.NewCommand(ctx, name+"-"+host.Node.Name+"-present", command,
		slices.Concat(childOf(h, host.Machine, leaving), host.deletedWith(),
			[]pulumi.ResourceOption{bounded(limit), once()})...)
}
