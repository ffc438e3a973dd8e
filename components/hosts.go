package components

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/hosts/reach"
	"strata/artifacts"
	"strata/config"
	"strata/health"
	hostgate "strata/health/host"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	ssh "strata/internal/ssh/remote"
)

// HostsArgs configures Hosts.
type HostsArgs struct {
	// Config is the section strata:hosts, validated.
	Config config.Hosts
	// Cluster is the name of the cluster that the hosts will belong to.
	Cluster string
	// TokenGeneration counts the changes of the cluster's tokens.
	TokenGeneration int
	// Fixed are the values that a server's K3s cannot change once it has data, by their keys.
	Fixed map[string]string
	// Stack is the stack's name. The names of the machines that Strata makes begin with it.
	Stack string
	// IPVS is true when kube-proxy will need the host's ip_vs modules.
	IPVS bool
	// VIP is true if the servers hold the API's own address.
	VIP bool
	// K3s is the version of K3s that the hosts will run.
	K3s string
	// CgroupV1 are the roles whose kubelets are configured to run on cgroup v1 as well.
	CgroupV1 []config.Role
	// Timeout bounds each host's boot and gate (strata:timeouts.host).
	Timeout metav1.Duration
	// InstallTimeout bounds the copying of an image to a hypervisor (strata:timeouts.install).
	InstallTimeout metav1.Duration
	// Artifacts has the disk image of the machines that Strata makes. The state records the kind of
	// the artifacts. Required.
	Artifacts *artifacts.Set
}

// Hosts owns the hosts: it uses existing ones or makes them, pins their host keys and gates each
// one. There is one gate for each host and none for all, because an install waits only for its own
// host.
type Hosts struct {
	pulumi.ResourceState
	// All are the hosts in the order of the configuration.
	All []*Host
	// Identity is the identity of the hosts' cluster.
	Identity *Identity
	// identify registers the identity.
	identify func() error
}

// Host is one host that is reachable over SSH with a pinned host key.
type Host struct {
	// Node is the host's configuration.
	Node config.Node
	// HostKey is the pinned public host key in authorized_keys form.
	HostKey pulumi.StringOutput
	// SSHKey is the private key that logs in, in PEM. Secret.
	SSHKey pulumi.StringOutput
	// reached is the way to an existing host. It is nil for a machine that Strata makes, which is
	// reached at its node's address.
	reached *reach.Host
	// Machine is the resource whose deletion also removes the host; nil for an existing host.
	Machine pulumi.Resource
	// Present passes once the machine is where it will stay, before anything is installed on it. Nil
	// for an existing host.
	Present pulumi.Resource
	// Booted passes once a virtual machine runs and has its address; nil for other hosts.
	Booted *Gate
	// Gate passes once the host is fit for K3s.
	Gate *Gate
	// command made the machine, and consent allows to recreate it. Neither is set for an existing
	// host.
	command *local.CommandArgs
	consent recreation
}

// NewHosts registers the hosts of the configured driver, their cluster's identity, and one gate for
// each.
func NewHosts(
	ctx *pulumi.Context, name string, args *HostsArgs, opts ...pulumi.ResourceOption,
) (*Hosts, error) {
	hosts := &Hosts{}
	err := ctx.RegisterComponentResourceV2(tokenOf("hosts", "Hosts"), name,
		recordArtifacts(args.Artifacts), hosts, opts...)
	if err != nil {
		return nil, err
	}
	hosts.identify = sync.OnceValue(func() (err error) {
		hosts.Identity, err = NewIdentity(ctx, args.Cluster, args.TokenGeneration, opts...)
		return err
	})
	drivers := map[config.Driver]func(*pulumi.Context, string, *HostsArgs, *Hosts) error{
		config.DriverExisting: existingHosts,
		config.DriverLibvirt:  vmHosts,
		config.DriverProxmox:  vmHosts,
	}
	driver, ok := drivers[args.Config.Driver]
	if !ok {
		return nil, fmt.Errorf("hosts: driver %q is not one of %s", args.Config.Driver,
			strings.Join(config.Drivers, ", "))
	}
	if err := driver(ctx, name, args, hosts); err != nil {
		return nil, fmt.Errorf("hosts: driver %s: %w", args.Config.Driver, err)
	}
	if err := hosts.identify(); err != nil {
		return nil, fmt.Errorf("hosts: identity of %s: %w", args.Cluster, err)
	}
	for _, host := range hosts.All {
		if err := hosts.gate(ctx, name, args, host); err != nil {
			return nil, fmt.Errorf("hosts: gate of %s: %w", host.Node.Name, err)
		}
	}
	return hosts, registerOutputs(ctx, hosts)
}

// machineDependencies returns the resources that must stay in the state until the machine has left
// it, because its cluster cannot work without them. It registers them after every file of the hosts
// has been read.
func (h *Hosts) machineDependencies(more ...pulumi.Resource) ([]pulumi.Resource, error) {
	if err := h.identify(); err != nil {
		return nil, fmt.Errorf("identity of the cluster: %w", err)
	}
	return append(slices.Clone(h.Identity.kept), more...), nil
}

// gate registers the gate of one host.
func (h *Hosts) gate(ctx *pulumi.Context, name string, args *HostsArgs, host *Host) error {
	needs := hostgate.Needs(string(host.Node.Role), args.IPVS, args.VIP)
	needs.K3s, needs.CgroupV1 = args.K3s, slices.Contains(args.CgroupV1, host.Node.Role)
	if host.Node.Role == config.RoleServer {
		needs.Fixed = args.Fixed
	}
	for _, other := range args.Config.Nodes {
		if other.Name != host.Node.Name {
			needs.Peers = append(needs.Peers, other.Name)
		}
	}
	var err error
	host.Gate, err = newGate(ctx, name+"-"+host.Node.Name+"-gate", &gateArgs{
		Spec: health.Spec{
			Layer: "hosts", Timeout: args.Timeout, TimeoutKey: "strata:timeouts.host", Body: needs,
		},
		Hosts:  []pinnedHost{host.withKey()},
		SSHKey: host.SSHKey,
		Body: pulumix.Apply(h.Identity.owner, func(owner k3shost.Owner) health.Body {
			if owner.Cluster != "" {
				needs.Owner = owner.WithNode(host.target().Name)
			}
			return needs
		}),
	}, append(childOf(h, host.gateDependencies()...), host.deletedWith()...)...)
	return err
}

// gateDependencies returns the resources that the host's gate waits for. They report problems of a
// virtual machine's boot, which are visible from outside only.
func (h *Host) gateDependencies() []pulumi.Resource {
	switch {
	case h.Booted != nil:
		return []pulumi.Resource{h.Booted}
	case h.Present != nil:
		return []pulumi.Resource{h.Present}
	}
	return nil
}

// withKey returns the host with its key, in the form that gates use.
func (h *Host) withKey() pinnedHost { return pinnedHost{Host: h.target(), Key: h.HostKey} }

// pinnedTarget returns the host with its key, in the form that commands use.
func (h *Host) pinnedTarget() pulumix.Output[health.Host] {
	pinned := join.Cast[[]health.Host](pinHosts([]pinnedHost{h.withKey()}))
	return pulumix.Apply(pinned, func(hosts []health.Host) health.Host { return hosts[0] })
}

// target returns the host without its key, in the form that gates use. The key is added when it is
// known.
func (h *Host) target() health.Host {
	at := ssh.Target{Name: h.Node.Name, Address: h.Node.Address.String(), Port: h.Node.SSH.Port,
		User: h.Node.SSH.User}
	if h.reached != nil {
		at = h.reached.Target
	}
	return health.Host{Target: at, Role: string(h.Node.Role)}
}

// deletedWith returns the option that lets a resource disappear with a machine that we made,
// without a delete of its own.
func (h *Host) deletedWith() []pulumi.ResourceOption {
	if h.Machine == nil {
		return nil
	}
	return []pulumi.ResourceOption{pulumi.DeletedWith(h.Machine)}
}

// With returns the hosts of one role, in order.
func (h *Hosts) With(role config.Role) []*Host {
	return slices.DeleteFunc(slices.Clone(h.All),
		func(host *Host) bool { return host.Node.Role != role })
}
