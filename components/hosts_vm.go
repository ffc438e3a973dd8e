package components

import (
	"fmt"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
	"strata/actions/machines"
	"strata/actions/machines/lifecycle"
	"strata/config"
	"strata/health"
	"strata/health/vm"
	"strata/internal/hypervisor"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/self"
	ssh "strata/internal/ssh/remote"
)

// vms registers the virtual machines of drivers libvirt and proxmox. Each machine's host key is
// generated first and passed to the machine in its cloud-init seed. So the key is known, and no
// first contact needs to be trusted (docs/adr/0010).
type vms struct {
	ctx        *pulumi.Context
	name       string
	args       *HostsArgs
	hosts      *Hosts
	hypervisor *hypervisorLogin
	// key is the private key that logs in to the machines, and public is its public key.
	key    pulumi.StringOutput
	public pulumi.StringOutput
	// image is the command that copies the disk image to the hypervisor; nil if the machines are
	// clones of a Proxmox template.
	image *local.Command
	// guard is the command of Hosts.guard, which every machine waits for.
	guard pulumi.Resource
}

func vmHosts(ctx *pulumi.Context, name string, args *HostsArgs, hosts *Hosts) error {
	v := &vms{ctx: ctx, name: name, args: args, hosts: hosts}
	var err error
	if v.hypervisor, err = newHypervisor(ctx, hosts, name, args); err != nil {
		return err
	}
	if v.key, err = generatedKey(ctx, hosts, name+"-key"); err != nil {
		return fmt.Errorf("ssh key: %w", err)
	}
	v.public = publicHalf(v.key)
	if args.Config.Proxmox.Template == 0 {
		if err := v.putImage(); err != nil {
			return fmt.Errorf("image: %w", err)
		}
	}
	if v.guard, err = hosts.guard(ctx, name, args); err != nil {
		return fmt.Errorf("machine guard: %w", err)
	}
	for _, node := range args.Config.Nodes {
		host, err := v.host(node)
		if err != nil {
			return fmt.Errorf("vm %s: %w", node.Name, err)
		}
		hosts.All = append(hosts.All, host)
	}
	if err := v.takeUp(); err != nil {
		return err
	}
	for _, host := range hosts.All {
		if err := v.registerBootGate(host); err != nil {
			return fmt.Errorf("vm %s: boot: %w", host.Node.Name, err)
		}
	}
	return nil
}

// complete returns spec with the values that are outputs: the owner, the authorized keys and the
// hypervisor's host key.
func (v *vms) complete(
	spec hypervisor.Spec, public, pin string, owner k3shost.Owner,
) hypervisor.Spec {
	spec.Cluster, spec.Project = owner.Cluster, owner.Project
	spec.Guest.AuthorizedKeys = append([]string{public}, v.args.Config.VM.AuthorizedKeys...)
	spec.Hypervisor.HostKey = pin
	return spec
}

// host registers one machine and its host key. Machines are created in parallel.
func (v *vms) host(node config.Node) (*Host, error) {
	name := v.name + "-" + node.Name
	identity, err := generatedKey(v.ctx, v.hosts, name+"-identity")
	if err != nil {
		return nil, fmt.Errorf("host key: %w", err)
	}
	consent, err := recreationOf(v.ctx, v.hosts, name, node)
	if err != nil {
		return nil, fmt.Errorf("consent: %w", err)
	}
	target := ssh.Target{Name: node.Name, Address: node.Address.String(), Port: node.SSH.Port,
		User: node.SSH.User}
	host := &Host{Node: node, SSHKey: v.key, HostKey: consent.pin(publicHalf(identity)),
		consent: consent, at: health.Host{Target: target, Role: string(node.Role)}}
	return host, v.machine(name+"-vm", host, identity)
}

// registerBootGate registers Booted, the gate that passes once the machine runs and has its
// address.
func (v *vms) registerBootGate(host *Host) (err error) {
	spec := v.spec(host.Node)
	spec.Image = hypervisor.Image{}
	host.Booted, err = newGate(v.ctx, v.name+"-"+host.Node.Name+"-boot", &gateArgs{
		Spec: health.Spec{
			Layer: "hosts", Timeout: v.args.Timeout, TimeoutKey: "strata:timeouts.host",
			Body: vm.Spec{Spec: spec},
		},
		Body: pulumix.Apply(v.hypervisor.pin, func(pin string) health.Body {
			spec.Hypervisor.HostKey = pin
			return vm.Spec{Spec: spec}
		}),
		HypervisorKey: v.hypervisor.key, Revision: host.consent.used,
	}, append(childOf(v.hosts, host.Machine, host.Present), host.deletedWith())...)
	return err
}

// machine registers the command of a virtual machine. Only the user's consent replaces the machine;
// a new image or another connection to the hypervisor does not, because that would destroy the
// cluster. The old machine is deleted first, because both have the same name and address.
func (v *vms) machine(name string, host *Host, identity pulumi.StringOutput) error {
	spec := v.spec(host.Node)
	// Machines are restarted one after the other to get more memory or processors, so the last one
	// waits for all others.
	spec.TurnTimeout.Duration = v.args.Timeout.Duration * time.Duration(len(v.args.Config.Nodes))
	needs, err := v.needs()
	if err != nil {
		return err
	}
	complete := func(public, pin string, owner k3shost.Owner) hypervisor.Spec {
		return v.complete(spec, public, pin, owner)
	}
	input := join.Three(v.public, v.hypervisor.pin, v.hosts.Identity.owner, complete)
	limit := metav1.Duration{Duration: spec.TurnTimeout.Duration + spec.Timeout.Duration}
	keys := v.secrets(pulumi.StringMap{self.HostKey: identity, self.SSHKey: v.key})
	command := actions.CommandOf(lifecycle.Create, input, keys)
	command.Update, command.Delete = actions.Text(lifecycle.Update), actions.Text(lifecycle.Delete)
	// The previous output contains the values with which the machine was created.
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	replaces := host.consent.replaces(command)
	options := childOf(v.hosts, needs...)
	if err := registerAttempt(v.ctx, name, command, options); err != nil {
		return err
	}
	host.command = command
	options = append(options, customTimeouts(limit), pulumi.DeleteBeforeReplace(true), replaces,
		pulumi.Protect(v.args.Config.VM.Protect))
	host.Machine, err = local.NewCommand(v.ctx, name, command, options...)
	return err
}

// putImage registers the command that copies the disk image to the hypervisor.
func (v *vms) putImage() error {
	file, err := v.args.Artifacts.Get(config.ArtifactVMImage)
	if err != nil {
		return err
	}
	spec := v.spec(config.Node{Name: "image"})
	spec.Image = hypervisor.Image{Path: file.Path, SHA256: file.SHA256}
	spec.Timeout = v.args.InstallTimeout
	input := pulumix.Apply(v.hypervisor.pin, func(pin string) hypervisor.Spec {
		spec.Hypervisor.HostKey = pin
		return spec
	})
	command := actions.CommandOf(lifecycle.PutImage, input, v.secrets(nil))
	command.Delete = actions.Text(lifecycle.RemoveImage)
	command.Triggers = pulumi.Array{pulumi.String(file.SHA256)}
	// The copy has no Pulumi timeout, because it may be slow. The command itself fails if no data
	// are transferred for some time.
	v.image, err = local.NewCommand(v.ctx, v.name+"-image", command, childOf(v.hosts)...)
	return err
}

// needs returns the resources on which a machine depends, so that a destroy deletes them after the
// machine: the cluster's identity and tokens, the guard and the image. It registers the identity if
// needed. By then the hypervisor's key file has been read, so a missing key file fails the run
// before anything is registered.
func (v *vms) needs() ([]pulumi.Resource, error) {
	if err := v.hosts.identify(); err != nil {
		return nil, fmt.Errorf("identity of the cluster: %w", err)
	}
	needs := with(v.hosts.Identity.kept, v.guard)
	if v.image != nil {
		needs = append(needs, v.image)
	}
	return needs, nil
}

// secrets adds the hypervisor's private key, if any, to env and returns it. env may be nil.
func (v *vms) secrets(env pulumi.StringMap) pulumi.StringMap {
	if env == nil {
		env = pulumi.StringMap{}
	}
	if v.hypervisor.key != nil {
		env[self.HypervisorKey] = v.hypervisor.key
	}
	return env
}

// spec returns a machine's Spec without the values that complete adds.
func (v *vms) spec(node config.Node) hypervisor.Spec {
	spec := machines.SpecOf(v.args.Config, v.args.Stack, node)
	spec.Timeout = v.args.Timeout
	if v.image != nil {
		// v.image is set, so putImage has read this artifact without an error.
		if file, err := v.args.Artifacts.Get(config.ArtifactVMImage); err == nil {
			spec.Image = hypervisor.Image{SHA256: file.SHA256}
		}
	}
	return spec
}
