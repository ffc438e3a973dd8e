package components

import (
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health"
)

// Cluster is what a layer inside the cluster needs to put its objects there.
type Cluster struct {
	// Provider talks to the cluster; it exists only behind the API gate.
	Provider *kubernetes.Provider
	// Identity is replaced only when the cluster is rebuilt. Objects are DeletedWith it, so that a destroy neither waits for
	// nor needs the API server.
	Identity pulumi.Resource
	// Kubeconfig is secret.
	Kubeconfig pulumi.StringOutput
	// Servers and their hosts are where gates look from.
	Hosts *Hosts
}

// gate registers a gate of a layer inside the cluster: it asks every API server and looks from every server host. args.Spec
// says what; its hosts, servers and keys are filled in here.
func (c *Cluster) gate(ctx *pulumi.Context, name string, args health.GateArgs, opts ...pulumi.ResourceOption) (*health.Gate, error) {
	servers := c.Hosts.With(config.RoleServer)
	at := accessTo(servers)
	args.Spec.Hosts = at.targets
	for _, server := range servers {
		args.Spec.Servers = append(args.Spec.Servers, server.endpoint())
	}
	args.HostKeys, args.SSHKey, args.Kubeconfig = at.hostKeys, at.sshKey, c.Kubeconfig
	if args.Revision == nil {
		args.Revision = pulumi.String(args.Spec.Revision)
	}
	return health.NewGate(ctx, name, &args, opts...)
}
