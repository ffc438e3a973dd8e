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

	"strata/artifacts"
	"strata/config"
	"strata/health"
	hostgate "strata/health/host"
	"strata/internal/k3shost"
)

// HostsArgs configures Hosts.
type HostsArgs struct {
	// Config is the section strata:hosts, validated.
	Config config.Hosts
	// Cluster is the resource name of the cluster that will run on the hosts.
	Cluster string
	// TokenGeneration is the generation of the cluster's join tokens. The first tokens have 0.
	TokenGeneration int
	// Fixed maps keys of K3s's config.yaml to the configured values that K3s cannot change on a
	// server with cluster data (config.CriticalValues).
	Fixed map[string]string
	// Stack is the stack's name. The names of the machines that Strata makes begin with it.
	Stack string
	// IPVS is true if kube-proxy will need the host's ip_vs kernel modules.
	IPVS bool
	// VIP is true if the servers share a virtual IP address for the API (keepalived).
	VIP bool
	// K3s is the version of K3s that the hosts will run.
	K3s string
	// CgroupV1 are the roles whose kubelets are configured to accept cgroup v1.
	CgroupV1 []config.Role
	// Timeout bounds each host's boot and gate (strata:timeouts.host).
	Timeout metav1.Duration
	// InstallTimeout is passed to the command that copies an image to the hypervisor
	// (strata:timeouts.install).
	InstallTimeout metav1.Duration
	// Artifacts has the disk image of virtual machines. Hosts records the artifacts' kind in the
	// state. Required.
	Artifacts *artifacts.Set
}

// Hosts owns the hosts. It uses existing hosts or creates virtual machines, pins the host keys, and
// registers a gate for each host. There is no gate for all hosts, because an install waits only for
// its own host.
type Hosts struct {
	pulumi.ResourceState
	// All are the hosts in the order of the configuration.
	All []*Host
	// Identity is the identity of the hosts' cluster.
	Identity *Identity
	// identify registers Identity, once.
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
	// at is the host's SSH target and role. It has a host key only if one is configured.
	at health.Host
	// key is SSHKey's text for an existing host, whose key the program reads from a file. Nil for a
	// virtual machine.
	key []byte
	// Machine is the resource whose deletion also removes the host; nil for an existing host.
	Machine pulumi.Resource
	// Present is the command that recreates and starts the machine after an interrupted destroy.
	// Every install on the machine waits for this command. Nil for an existing host.
	Present pulumi.Resource
	// Booted passes once a virtual machine runs and has its address; nil for other hosts.
	Booted *Gate
	// Gate passes once the host meets K3s's requirements.
	Gate *Gate
	// command is the command that creates the machine, and consent allows its recreation. Neither
	// is set for an existing host.
	command *local.CommandArgs
	consent recreation
}

// NewHosts registers the hosts with the configured driver, a gate for each host, and the identity
// of their cluster.
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
	var after []pulumi.Resource
	if host.Booted != nil { // it reports boot problems that SSH cannot show
		after = append(after, host.Booted)
	}
	var err error
	host.Gate, err = newGate(ctx, name+"-"+host.Node.Name+"-gate", &gateArgs{
		Spec: health.Spec{
			Layer: "hosts", Timeout: args.Timeout, TimeoutKey: "strata:timeouts.host", Body: needs,
		},
		Hosts: []*Host{host},
		Body: pulumix.Apply(h.Identity.owner, func(owner k3shost.Owner) health.Body {
			if owner.Cluster != "" {
				needs.Owner = owner.WithNode(host.at.Name)
			}
			return needs
		}),
	}, append(childOf(h, after...), host.deletedWith())...)
	return err
}

// deletedWith returns the option DeletedWith: when the machine is deleted, Pulumi drops the
// resource from the state without deleting it. For an existing host, the option does nothing.
func (h *Host) deletedWith() pulumi.ResourceOption {
	if h.Machine == nil {
		return pulumi.Composite()
	}
	return pulumi.DeletedWith(h.Machine)
}

// With returns the hosts with a role, in the order of the configuration.
func (h *Hosts) With(role config.Role) []*Host {
	return slices.DeleteFunc(slices.Clone(h.All),
		func(host *Host) bool { return host.Node.Role != role })
}
