package components

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions"
	"strata/actions/machines/lab"
	"strata/artifacts"
	"strata/config"
	"strata/internal/k3shost"
	"strata/internal/nspawn"
	"strata/internal/pulumi/join"
)

// labMachines makes the hosts of driver machine: systemd-nspawn machines on this machine. Their host
// keys are generated before the first boot, so there is no first contact to trust.
type labMachines struct {
	ctx   *pulumi.Context
	name  string
	args  *HostsArgs
	hosts *Hosts
	image artifacts.Artifact
	// key logs in to the machines, public is its other half.
	key    pulumi.StringOutput
	public pulumi.StringOutput
	// needs precede a machine, and stay in the state until it is gone.
	needs []pulumi.Resource
}

func machineHosts(ctx *pulumi.Context, name string, args *HostsArgs, hosts *Hosts) error {
	m := &labMachines{ctx: ctx, name: name, args: args, hosts: hosts}
	var err error
	if m.image, err = args.Artifacts.One(config.ArtifactMachineImage); err != nil {
		return err
	}
	if m.key, err = generatedKey(ctx, hosts, name+"-key"); err != nil {
		return fmt.Errorf("ssh key: %w", err)
	}
	m.public = publicHalf(m.key)
	guard, err := hosts.guard(ctx, name, "machine", args)
	if err != nil {
		return fmt.Errorf("machine guard: %w", err)
	}
	if m.needs, err = hosts.until(guard); err != nil {
		return err
	}
	for _, node := range args.Config.Nodes {
		host, err := m.host(node)
		if err != nil {
			return fmt.Errorf("machine %s: %w", node.Name, err)
		}
		hosts.All = append(hosts.All, host)
	}
	return m.takeUp()
}

// takeUp registers what comes between the machines and all that lives on them.
func (m *labMachines) takeUp() error {
	input := pulumix.Apply(m.hosts.Identity.owner, func(owner k3shost.Owner) nspawn.Deletion {
		all := nspawn.Deletion{Owner: nspawn.OwnerOf(owner), Timeout: m.args.Timeout}
		for _, node := range m.args.Config.Nodes {
			all.Machines = append(all.Machines, m.spec(node).Name)
		}
		return all
	})
	return m.hosts.takeUp(m.ctx, m.name, departure{
		command: actions.CommandOf(lab.MarkForReplacement, input, nil), keep: lab.Keep, mark: lab.MarkForDeletion,
		limit: m.args.Timeout,
	})
}

// host registers one machine. One that is made anew is replaced, the old one first, because both
// would have one name; a new image leaves existing machines as they are, because replacing them all
// would take the cluster away.
func (m *labMachines) host(node config.Node) (*Host, error) {
	node.SSH.User, node.SSH.Port = "root", 22
	name, spec := m.name+"-"+node.Name, m.spec(node)
	consent, err := recreationOf(m.ctx, m.hosts, name, node)
	if err != nil {
		return nil, fmt.Errorf("consent: %w", err)
	}
	command := m.command(spec)
	replaces := consent.replaces(command, spec.Bridge+" "+spec.Subnet.String()+" "+spec.Address.String())
	made, err := local.NewCommand(m.ctx, name+"-machine", command,
		append(childOf(m.hosts, m.needs...), bounded(m.args.Timeout), pulumi.DeleteBeforeReplace(true), replaces)...)
	if err != nil {
		return nil, err
	}
	return &Host{
		Node: node, SSHKey: m.key, Machine: made, HostKey: consent.pin(made.Stdout.ApplyT(machineHostKey).(pulumi.StringOutput)),
		command: command, consent: consent,
	}, nil
}

// command makes, keeps and removes one machine.
func (m *labMachines) command(spec nspawn.Spec) *local.CommandArgs {
	input := join.Two(m.public, m.hosts.Identity.owner, func(public string, owner k3shost.Owner) nspawn.Spec {
		spec.AuthorizedKey, spec.Owner = public, nspawn.OwnerOf(*owner.At(spec.Hostname))
		return spec
	})
	command := actions.CommandOf(lab.Create, input, nil)
	command.Update, command.Delete = actions.Text(lab.Update), actions.Text(lab.Delete)
	return command
}

// spec returns a machine as `strata machine` knows it, without the later values.
func (m *labMachines) spec(node config.Node) nspawn.Spec {
	return nspawn.Spec{
		Name: m.args.Stack + "-" + node.Name, Hostname: node.Name,
		Image: m.image.Path, ImageSHA256: m.image.SHA256,
		Bridge: m.args.Config.Machine.Bridge, Subnet: m.args.Config.Subnet, Gateway: m.args.Config.Machine.Gateway,
		Address: node.Address,
	}
}

// machineHostKey is the host key that `machine create` printed.
func machineHostKey(stdout string) (string, error) {
	var made nspawn.Result
	if err := json.Unmarshal([]byte(stdout), &made); err != nil {
		return "", fmt.Errorf("output of machine create: %w", err)
	}
	return made.HostKey, nil
}
