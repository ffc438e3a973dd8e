package components

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions"
	"strata/actions/cluster/kubeconfig"
	"strata/actions/cluster/kuberead"
	"strata/actions/stack/teardown"
	"strata/artifacts"
	"strata/config"
	"strata/health"
	"strata/health/api"
	"strata/health/nodes"
	"strata/health/system"
	"strata/internal/pulumi/self"
)

// ExistingClusterArgs configures ExistingCluster.
type ExistingClusterArgs struct {
	// Kubeconfig is the text of a kubeconfig whose current context is the cluster. It becomes a
	// secret. Required.
	Kubeconfig pulumi.StringInput
	// Timeouts bound the gates.
	Timeouts config.Timeouts
	// Artifacts has the digests of images. The kind of the artifacts is recorded in the state.
	// Required.
	Artifacts *artifacts.Set
}

// ExistingCluster connects to an existing cluster, instead of K3s, which builds one. It creates
// nothing in the cluster. It has none of K3s's features that need hosts: gates of hosts, units and
// /ping, issued kubeconfigs, membership, upgrades, snapshots and the API's own address. Gates check
// webhooks only by dry runs through the API server, and addresses only from the machine that runs
// Strata.
type ExistingCluster struct {
	pulumi.ResourceState
	// Cluster gives layers access to the cluster. It has no Identity, because the cluster survives
	// a destroy, so each object must be deleted.
	Cluster *Cluster
	// API passes once the API server answers authenticated requests.
	API *Gate
	// Nodes is a table of the Nodes with name, role and address, as of the first update with this
	// cluster.
	Nodes pulumi.AnyOutput `pulumi:"nodes"`
	// Endpoint is the API server's URL.
	Endpoint pulumi.StringOutput `pulumi:"endpoint"`
}

// clusterLayer is the layer's name in messages.
const clusterLayer = "cluster"

// existingCluster holds the values that the steps of NewExistingCluster share.
type existingCluster struct {
	*ExistingCluster
	ctx  *pulumi.Context
	name string
	args *ExistingClusterArgs
	// kubeconfig has only the current context. identity is a digest of the cluster's CA, which
	// identifies the cluster.
	kubeconfig, identity pulumi.StringOutput
	// whole is the gate of the Nodes. It passes once all registered Nodes are ready.
	whole *Gate
	// same is the command of recognise. It fails if the cluster differs from that of the previous
	// run.
	same *local.Command
}

// NewExistingCluster registers the cluster's gates and its provider. Layers wait for the API but,
// as with K3s, not for the Nodes.
func NewExistingCluster(
	ctx *pulumi.Context, name string, args *ExistingClusterArgs, opts ...pulumi.ResourceOption,
) (*ExistingCluster, error) {
	l := &existingCluster{ExistingCluster: &ExistingCluster{}, ctx: ctx, name: name, args: args}
	if err := ctx.RegisterComponentResourceV2(tokenOf("cluster", "ExistingCluster"), name,
		recordArtifacts(args.Artifacts),
		l.ExistingCluster, opts...); err != nil {
		return nil, err
	}
	l.readTarget()
	for _, step := range []func() error{l.gates, l.recognise, l.connect, l.list} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
	}
	return l.ExistingCluster, registerOutputs(ctx, l.ExistingCluster)
}

// readTarget derives the server, the identity and the reduced kubeconfig from the given kubeconfig,
// as soon as the kubeconfig is known. The outputs fail if the kubeconfig breaks a rule of
// strata:cluster.
func (l *existingCluster) readTarget() {
	target := pulumi.ToSecret(l.args.Kubeconfig.ToStringOutput()).(pulumi.StringOutput)
	field := func(of func(kubeconfig.Target) string) pulumi.StringOutput {
		return target.ApplyT(func(text string) (string, error) {
			read, err := kubeconfig.Parse([]byte(text))
			return of(read), err
		}).(pulumi.StringOutput)
	}
	server := field(func(read kubeconfig.Target) string { return read.Server })
	identity := field(func(read kubeconfig.Target) string { return read.Identity })
	l.kubeconfig = field(func(read kubeconfig.Target) string { return string(read.Text) })
	// Neither the address nor a digest of the CA is secret.
	l.Endpoint = pulumi.Unsecret(server).(pulumi.StringOutput)
	l.identity = pulumi.Unsecret(identity).(pulumi.StringOutput)
}

// gates registers the gates of the API, the Nodes, and the cluster services that Pods use, such as
// DNS.
func (l *existingCluster) gates() error {
	limits := l.args.Timeouts
	var err error
	if l.API, err = l.gate("api", health.Spec{
		Body: api.Spec{}, Timeout: limits.API, TimeoutKey: "strata:timeouts.api",
	}); err != nil {
		return err
	}
	if l.whole, err = l.gate("nodes", health.Spec{
		Timeout: limits.Nodes, TimeoutKey: "strata:timeouts.nodes",
		Body: nodes.Spec{Registered: true},
	}, l.API); err != nil {
		return err
	}
	_, err = l.gate("system", health.Spec{
		Timeout: limits.Nodes, TimeoutKey: "strata:timeouts.nodes", Body: system.Spec{},
	}, l.API)
	return err
}

// gate registers a gate of the cluster. The gate runs again if the cluster's identity changes.
func (l *existingCluster) gate(
	role string, spec health.Spec, needs ...pulumi.Resource,
) (*Gate, error) {
	spec.Layer, spec.Existing = clusterLayer, true
	return newGate(l.ctx, l.name+"-"+role, &gateArgs{
		Spec: spec, Servers: pulumi.StringArray{l.Endpoint}, Kubeconfig: l.kubeconfig,
		Revision: l.identity,
	}, childOf(l, needs...)...)
}

// recognise registers the command that fails if the cluster differs from that of the previous run.
// Otherwise Pulumi would look for the previous cluster's objects in a different cluster, and delete
// objects there (docs/adr/0053).
func (l *existingCluster) recognise() (err error) {
	name, limit := l.name+"-identity", l.args.Timeouts.API
	asked := kubeconfig.Recognition{
		Timeout: limit,
		Forget: fmt.Sprintf("pulumi state delete --target-dependents 'urn:pulumi:%s::%s::%s$command:local:Command::%s'",
			l.ctx.Stack(), l.ctx.Project(), tokenOf("cluster", "ExistingCluster"), name),
	}
	input := pulumix.Apply(l.Endpoint, func(server string) kubeconfig.Recognition {
		asked.Server = server
		return asked
	})
	command := actions.CommandOf(kubeconfig.Identify, input,
		pulumi.StringMap{self.Kubeconfig: l.kubeconfig})
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	l.same, err = local.NewCommand(l.ctx, name, command,
		append(childOf(l, l.API), customTimeouts(limit))...)
	return err
}

// connect registers the provider. Its clusterIdentifier is set once, from the cluster's CA, and
// later changes are ignored: neither renewed credentials nor a renewed CA replace objects. The
// command of recognise refuses a different cluster first.
func (l *existingCluster) connect() error {
	provider, err := newProvider(l.ctx, l.name+"-provider", l.kubeconfig, l.identity, nil,
		append(childOf(l, l.same), pulumi.IgnoreChanges([]string{"clusterIdentifier"}))...)
	if err != nil {
		return err
	}
	l.Cluster = &Cluster{
		objects:  teardown.Objects{},
		Provider: provider, Kubeconfig: l.kubeconfig, Endpoint: l.Endpoint,
		Servers: pulumi.StringArray{l.Endpoint},
		Images:  l.args.Artifacts.ImageDigests(), Stable: l.same,
		NamespaceEnd: l.args.Timeouts.Namespaces,
	}
	return nil
}

// list registers the command that reads the table of Nodes. It runs only when the cluster changes,
// so that an update without changes sends no request.
func (l *existingCluster) list() error {
	limit := l.args.Timeouts.Nodes
	input := pulumix.Apply(l.identity, func(identity string) kuberead.NodesInput {
		return kuberead.NodesInput{Revision: identity, Timeout: limit}
	})
	command := actions.CommandOf(kuberead.ListNodes, input,
		pulumi.StringMap{self.Kubeconfig: l.kubeconfig})
	read, err := local.NewCommand(l.ctx, l.name+"-node-list", command,
		slices.Concat(childOf(l, l.whole), []pulumi.ResourceOption{customTimeouts(limit)})...)
	if err != nil {
		return err
	}
	l.Nodes = pulumi.Unsecret(read.Stdout.ApplyT(func(text string) (any, error) {
		var nodes []map[string]string
		err := json.Unmarshal([]byte(text), &nodes)
		return nodes, err
	})).(pulumi.AnyOutput)
	return nil
}
