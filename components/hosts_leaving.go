package components

import (
	"fmt"
	"maps"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
	"strata/actions/machines/lifecycle"
	"strata/internal/hypervisor"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/self"
)

// takeUp registers a command that detects an interrupted destroy, and each machine's command
// Present. The command depends on all machines, and everything on the machines depends on the
// command. So a destroy runs the command's delete just before it deletes the first machine: the
// delete marks all machines as about to be deleted. If a destroy is interrupted after that, the
// next update runs the command's create. The create marks the machines that still exist for
// replacement, and prints the names of the deleted machines. The Present commands recreate both
// (docs/adr/0030).
func (v *vms) takeUp() error {
	whole := func(public, pin string, owner k3shost.Owner) hypervisor.Deletion {
		all := hypervisor.Deletion{Timeout: v.args.Timeout}
		for _, node := range v.args.Config.Nodes {
			all.Machines = append(all.Machines, v.complete(v.spec(node), public, pin, owner))
		}
		return all
	}
	input := join.Three(v.public, v.hypervisor.pin, v.hosts.Identity.owner, whole)
	command := actions.CommandOf(lifecycle.MarkForReplacement, input, v.secrets(nil))
	command.Update = actions.Text(lifecycle.Keep)
	if !v.args.Config.VM.Protect {
		command.Delete = actions.Text(lifecycle.MarkForDeletion)
	}
	machines := make([]pulumi.Resource, 0, len(v.hosts.All))
	for _, host := range v.hosts.All {
		machines = append(machines, host.Machine)
	}
	limit := metav1.Duration{Duration: v.args.Timeout.Duration * time.Duration(len(v.hosts.All)+1)}
	leaving, err := local.NewCommand(v.ctx, v.name+"-leaving", command,
		append(childOf(v.hosts, machines...), customTimeouts(limit))...)
	if err != nil {
		return fmt.Errorf("machines that leave: %w", err)
	}
	for _, host := range v.hosts.All {
		if host.Present, err = v.present(host, leaving, limit); err != nil {
			return fmt.Errorf("machine %s: presence: %w", host.Node.Name, err)
		}
	}
	return nil
}

// present registers the command that recreates a machine after an interrupted destroy, and starts a
// stopped machine. Its create is the update of the machine's own command, with the same input and
// the output of leaving.
func (v *vms) present(
	host *Host, leaving *local.Command, limit metav1.Duration,
) (pulumi.Resource, error) {
	made := host.command
	environment := maps.Clone(made.Environment.(pulumi.StringMap)) // machine() set this type
	environment[self.DeletedMachines] = leaving.Stdout
	command := &local.CommandArgs{
		Create: made.Update, Stdin: made.Stdin, Environment: environment,
		Logging: made.Logging, AddPreviousOutputInEnv: pulumi.Bool(false),
	}
	return local.NewCommand(v.ctx, v.name+"-"+host.Node.Name+"-present", command,
		append(childOf(v.hosts, host.Machine, leaving), host.deletedWith(), customTimeouts(limit),
			once())...)
}
