package components

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
	"strata/actions/cluster/kuberead"
	"strata/actions/cluster/reissue"
	"strata/actions/cluster/statefulset"
	"strata/actions/stack/teardown"
	"strata/config"
	"strata/health"
	"strata/health/namespace"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/tunnel"
)

// Cluster gives a layer access to the cluster that it is installed in.
type Cluster struct {
	// Provider talks to the cluster; it exists only behind the API gate.
	Provider *kubernetes.Provider
	// Identity is replaced only when the cluster is rebuilt. Objects are DeletedWith it, so that a
	// destroy neither waits for nor needs the API server. Nil on an existing cluster: the cluster
	// stays, so each object has to be deleted.
	Identity pulumi.Resource
	// Kubeconfig has the address of Endpoint. Secret.
	Kubeconfig pulumi.StringOutput
	// Endpoint is the API's URL.
	Endpoint pulumi.StringInput
	// Servers are the URLs of the API servers, each of which gates ask.
	Servers pulumi.StringArrayInput
	// Hosts lets gates observe from the nodes. With nil no node can be reached, and gates ask the
	// API alone.
	Hosts *Hosts
	// Version is the cluster's of Kubernetes, for example v1.34.2+k3s1; empty where it is not known
	// beforehand.
	Version string
	// Images are the lock's digests of images, which gates of workloads compare with the running
	// ones.
	Images map[string][]string
	// Stable holds once the API answers and no node is to be drained. Every change and judgement
	// inside the cluster waits for it.
	Stable pulumi.Resource
	// NamespaceEnd bounds the wait for the end of a namespace that leaves.
	NamespaceEnd metav1.Duration
	// NetworkPolicies says that each layer's namespace gets one.
	NetworkPolicies bool
	// objects are the objects registered for it.
	objects teardown.Objects
	// before is called before each create and update; nil if existing objects are refused.
	before *pulumi.ResourceHook
}

// tunnelTo returns the way to hosts' API and to the load balancer's addresses if only a jump host
// reaches them.
func tunnelTo(hosts []*Host) tunnel.Spec {
	return tunnel.First(hosts, func(host *Host) remote.Target {
		if host.reached == nil {
			return remote.Target{}
		}
		return host.reached.Target
	})
}

// deletedWith makes a resource go with the cluster, without its delete, if we made the cluster.
func (c *Cluster) deletedWith() []pulumi.ResourceOption {
	if c.Identity == nil {
		return nil
	}
	return []pulumi.ResourceOption{pulumi.DeletedWith(c.Identity)}
}

// newProvider registers the provider of a cluster. It depends on the API gate because a provider
// samples once, when it is configured, whether its cluster can be reached; the identity keeps it
// from being replaced when the kubeconfig's text changes. upsert lets it take over existing
// objects, which needs a guard (Cluster.adopt); nil leaves that to the environment.
func newProvider(ctx *pulumi.Context, name string, kubeconfig, identity pulumi.StringInput,
	upsert pulumi.BoolPtrInput, opts ...pulumi.ResourceOption) (*kubernetes.Provider, error) {
	return kubernetes.NewProvider(ctx, name, &kubernetes.ProviderArgs{
		Kubeconfig:        kubeconfig.ToStringOutput(),
		ClusterIdentifier: identity.ToStringOutput(),
		// Else one whose data changes is deleted and made again, and a Pod that starts in between
		// does not find it.
		EnableConfigMapMutable: pulumi.Bool(true),
		EnableSecretMutable:    pulumi.Bool(true),
		UpsertExistingObjects:  upsert,
	}, opts...)
}

// serverList returns the URLs of the API servers in one text.
func (c *Cluster) serverList() pulumi.StringOutput {
	return c.Servers.ToStringArrayOutput().ApplyT(func(servers []string) string {
		return strings.Join(servers, " ")
	}).(pulumi.StringOutput)
}

// gate registers a gate of a layer inside the cluster: it asks every API server and observes from
// every server host, if hosts can be reached. It completes args.Spec with hosts, servers and keys.
func (c *Cluster) gate(
	ctx *pulumi.Context, name string, args gateArgs, opts ...pulumi.ResourceOption,
) (*Gate, error) {
	if c.Hosts != nil {
		at := accessTo(c.Hosts.With(config.RoleServer))
		args.Hosts, args.SSHKey = at.hosts, at.sshKey
	}
	if args.Spec.Body.Traits().Workloads {
		args.Spec.Images = c.Images
	}
	args.Servers, args.Spec.Existing, args.Kubeconfig = c.Servers, c.Identity == nil, c.Kubeconfig
	return newGate(ctx, name, &args, opts...)
}

// namespaceEnd registers the command whose delete waits until a namespace has ended. The namespace
// must depend on it, so that its own delete comes first; name and opts are the namespace's.
func (c *Cluster) namespaceEnd(
	ctx *pulumi.Context, name, ended string, opts ...pulumi.ResourceOption,
) (pulumi.Resource, error) {
	args := gateArgs{Kubeconfig: c.Kubeconfig, Servers: c.Servers, Spec: health.Spec{
		Layer: ended, Timeout: c.NamespaceEnd, TimeoutKey: "strata:timeouts.namespaces",
		Existing: c.Identity == nil, Body: namespace.Spec{Name: ended},
	}}
	if c.Hosts != nil {
		if servers := c.Hosts.With(config.RoleServer); tunnelTo(servers).There() {
			at := accessTo(servers)
			args.Hosts, args.SSHKey = at.hosts, at.sshKey
		}
	}
	end, err := newGateAtDelete(ctx, name+"-end", &args, slices.Concat(opts, c.deletedWith())...)
	if err != nil {
		return nil, fmt.Errorf("end of namespace %s: %w", ended, err)
	}
	return end, nil
}

// unblock registers the command that lets a StatefulSet past broken Pods of an earlier revision,
// for which Kubernetes would wait for ever. It is for StatefulSets that replace their Pods in order
// (podManagementPolicy OrderedReady), and runs again with each revision.
func (c *Cluster) unblock(ctx *pulumi.Context, name string, input statefulset.Input,
	revision pulumi.StringInput, opts ...pulumi.ResourceOption) (*local.Command, error) {
	asked := pulumix.Apply(revision.ToStringOutput(), func(revision string) statefulset.Input {
		input.Revision = revision
		return input
	})
	command := actions.CommandOf(statefulset.Unblock, asked,
		pulumi.StringMap{self.Kubeconfig: c.Kubeconfig})
	return local.NewCommand(ctx, name, command,
		slices.Concat(opts, c.deletedWith(),
			[]pulumi.ResourceOption{customTimeouts(input.Timeout), rerun.ReplaceOnChange()})...)
}

// reissue registers the command that has cert-manager reissue the certificates of another signer,
// the issuer's CA or its server. opts must have it come after the new signer's gate: until then
// cert-manager asks the one before.
func (c *Cluster) reissue(
	ctx *pulumi.Context, name string, input reissue.Input, opts ...pulumi.ResourceOption,
) (pulumi.Resource, error) {
	opts = slices.Concat(opts, c.deletedWith())
	// A word for each signer: who goes back after a change that failed may have certificates of
	// both.
	word, err := rerun.Attempt(ctx, name, pulumi.StringMap{"signer": pulumi.String(input.Signer)},
		opts...)
	if err != nil {
		return nil, err
	}
	command := actions.Command(reissue.Reissue, input,
		pulumi.StringMap{self.Kubeconfig: c.Kubeconfig, self.Attempt: word})
	command.AddPreviousOutputInEnv = pulumi.Bool(true) // it says which signer it was
	return local.NewCommand(ctx, name, command, append(opts, customTimeouts(input.Timeout))...)
}

// read registers the command that reads a field of the core API once, behind the proof that it
// exists. Not secret.
func (c *Cluster) read(
	ctx *pulumi.Context, name string, field kuberead.FieldInput, opts ...pulumi.ResourceOption,
) (pulumi.StringOutput, error) {
	field.Version = "v1"
	command := actions.Command(kuberead.ReadField, field,
		pulumi.StringMap{self.Kubeconfig: c.Kubeconfig})
	read, err := local.NewCommand(ctx, name, command, append(opts, customTimeouts(field.Timeout))...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return pulumi.Unsecret(read.Stdout).(pulumi.StringOutput), nil
}
