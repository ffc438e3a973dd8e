package components

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	k3snode "strata/internal/k3s/node"
	"strata/internal/nspawn"
)

// machineHosts creates systemd-nspawn machines on this machine, with a key of the stack's own. Their host keys are
// generated before the first boot, so there is no first contact to trust.
func machineHosts(ctx *pulumi.Context, name string, args *HostsArgs, hosts *Hosts) error {
	image, err := args.Artifacts.One("machine-image")
	if err != nil {
		return err
	}
	private, err := generatedKey(ctx, hosts, name+"-key")
	if err != nil {
		return fmt.Errorf("ssh key: %w", err)
	}
	public := publicHalf(private)
	guard, err := hosts.guard(ctx, name, "machine", args)
	if err != nil {
		return fmt.Errorf("machine guard: %w", err)
	}
	needs, err := hosts.until(guard)
	if err != nil {
		return err
	}
	var commands []*local.CommandArgs
	all := nspawn.Deletion{Timeout: args.Timeout}
	for _, node := range args.Config.Nodes {
		node.SSH.User, node.SSH.Port = "root", 22
		spec := nspawn.Spec{
			Name: args.Stack + "-" + node.Name, Hostname: node.Name,
			Image: image.Path, ImageSHA256: image.SHA256,
			Bridge: args.Config.Machine.Bridge, Subnet: args.Config.Subnet, Gateway: args.Config.Machine.Gateway,
			Address: node.Address,
		}
		consent, err := recreationOf(ctx, hosts, name+"-"+node.Name, node)
		if err != nil {
			return fmt.Errorf("machine %s: consent: %w", node.Name, err)
		}
		command := machineCommand(hosts, spec, public)
		made, err := newMachine(ctx, name+"-"+node.Name+"-machine", spec, command, consent, append(childOf(hosts, needs...), bounded(args.Timeout)))
		if err != nil {
			return fmt.Errorf("machine %s: %w", node.Name, err)
		}
		hosts.All = append(hosts.All, &Host{
			Node: node, SSHKey: private, Machine: made,
			HostKey: consent.pin(made.Stdout.ApplyT(machineHostKey).(pulumi.StringOutput)),
		})
		commands, all.Machines = append(commands, command), append(all.Machines, spec.Name)
	}
	question := hosts.Identity.Owner.ApplyT(func(owner any) (*string, error) {
		all.Owner = nspawn.OwnerOf(owner.(k3snode.Owner))
		return jsonText(all)
	}).(pulumi.StringPtrOutput)
	return hosts.takeUp(ctx, name, departure{verb: "machine leaving", stdin: question, made: commands, limit: args.Timeout})
}

// machineCommand makes, keeps and removes one machine.
func machineCommand(hosts *Hosts, spec nspawn.Spec, public pulumi.StringOutput) *local.CommandArgs {
	stdin := pulumi.All(public, hosts.Identity.Owner).ApplyT(func(known []any) (*string, error) {
		owner := known[1].(k3snode.Owner)
		spec.AuthorizedKey, spec.Owner = known[0].(string), nspawn.OwnerOf(*owner.At(spec.Hostname))
		return jsonText(spec)
	}).(pulumi.StringPtrOutput)
	command := runs("machine create", stdin, nil)
	command.Update, command.Delete = pulumi.String(program+" machine create --existing"), pulumi.String(program+" machine delete")
	return command
}

// newMachine registers one machine. One that is made anew is replaced, the old one first, because both would have one name; a new image
// leaves existing machines as they are, because replacing them all would take the cluster away.
func newMachine(
	ctx *pulumi.Context, name string, spec nspawn.Spec, command *local.CommandArgs, consent recreation, opts []pulumi.ResourceOption,
) (*local.Command, error) {
	place := spec.Bridge + " " + spec.Subnet.String() + " " + spec.Address.String()
	replaces := consent.replaces(command, place)
	return local.NewCommand(ctx, name, command, append(opts, pulumi.DeleteBeforeReplace(true), replaces)...)
}

// machineHostKey is the host key that `machine create` printed.
func machineHostKey(stdout string) (string, error) {
	var made nspawn.Result
	if err := json.Unmarshal([]byte(stdout), &made); err != nil {
		return "", fmt.Errorf("output of machine create: %w", err)
	}
	return made.HostKey, nil
}
