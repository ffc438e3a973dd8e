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
	// Kubeconfig is the text of a kubeconfig, whose current context leads to the cluster. It is
	// treated as secret. Required.
	Kubeconfig pulumi.StringInput
	// Timeouts bound the gates.
	Timeouts config.Timeouts
	// Artifacts has the digests of images. The state records the kind of the artifacts. Required.
	Artifacts *artifacts.Set
}

// ExistingCluster is an existing cluster, in the place of K3s. It owns nothing there except the
// provider. It leaves out the parts of K3s that need hosts: the gates of hosts, units and /ping,
// the kubeconfig that is read from a server, members, upgrades, snapshots and the API's own
// address. It does not observe webhooks and addresses from hosts either. The dry run through the
// API server shows whether a webhook serves, and an attempt from this machine whether an address
// answers.
type ExistingCluster struct {
	pulumi.ResourceState
	// Cluster serves the layers. It has no Identity: the cluster stays at a destroy, so each object
	// is deleted.
	Cluster *Cluster
	// API passes once the API server answers authenticated requests.
	API *Gate
	// Nodes is a table of the registered Nodes with name, role and address, as they were when the
	// cluster was first seen.
	Nodes pulumi.AnyOutput `pulumi:"nodes"`
	// Endpoint is the API server's URL.
	Endpoint pulumi.StringOutput `pulumi:"endpoint"`
}

// clusterLayer is the layer's name in messages.
const clusterLayer = "cluster"

// existingCluster holds the state that the constructor's steps share.
type existingCluster struct {
	*ExistingCluster
	ctx  *pulumi.Context
	name string
	args *ExistingClusterArgs
	// kubeconfig has only the configured context. identity distinguishes clusters.
	kubeconfig, identity pulumi.StringOutput
	// whole is the gate of the Nodes.
	whole *Gate
	// same passes once the cluster is recognized as the cluster of the previous run.
	same *local.Command
}

// NewExistingCluster registers the cluster's gates and its provider. The layers wait for its API
// and, as with K3s, for no Node.
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

// readTarget reads the kubeconfig as soon as it is known, by the rules of strata:cluster.
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

// gates registers the gates of the API, of the Nodes, and of the services that the cluster provides
// for Pods.
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

// gate registers a gate of the cluster. The gate runs again if the same name leads to another
// cluster.
func (l *existingCluster) gate(
	role string, spec health.Spec, needs ...pulumi.Resource,
) (*Gate, error) {
	spec.Layer, spec.Existing = clusterLayer, true
	return newGate(l.ctx, l.name+"-"+role, &gateArgs{
		Spec: spec, Servers: pulumi.StringArray{l.Endpoint}, Kubeconfig: l.kubeconfig,
		Revision: l.identity,
	}, childOf(l, needs...)...)
}

// recognise registers the guard that refuses another cluster than that of the previous run: the
// objects of the previous cluster would be deleted (docs/adr/0053).
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

// connect registers the provider. Its identity is drawn from the cluster's CA once and stays, so
// that neither a renewed credential nor another CA replaces an object. The guard refuses another
// cluster before that.
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

// list registers the command that reads the table of the Nodes once, so that a run without changes
// sends no request.
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
