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
	// Provider talks to the cluster. It is registered only after the API gate holds.
	Provider *kubernetes.Provider
	// Identity is replaced only when the cluster is rebuilt. Objects are DeletedWith it, so a
	// destroy neither waits for the API server nor needs it. Nil on an existing cluster: that
	// cluster stays, so each object must be deleted.
	Identity pulumi.Resource
	// Kubeconfig has the address of Endpoint. It is secret.
	Kubeconfig pulumi.StringOutput
	// Endpoint is the API's URL.
	Endpoint pulumi.StringInput
	// Servers are the URLs of the API servers. Gates ask each of them.
	Servers pulumi.StringArrayInput
	// Hosts lets gates observe from the nodes. If it is nil, no node can be reached, and gates only
	// ask the API.
	Hosts *Hosts
	// Version is the cluster's version of Kubernetes, for example v1.34.2+k3s1; empty if it is not
	// known beforehand.
	Version string
	// Images are the lock's digests of images, which gates of workloads compare with the running
	// ones.
	Images map[string][]string
	// Stable passes once the API answers and no drain is to come. Every change and check inside the
	// cluster waits for it.
	Stable pulumi.Resource
	// NamespaceEnd bounds the wait until a deleted namespace has ended.
	NamespaceEnd metav1.Duration
	// NetworkPolicies is true if each layer's namespace gets a network policy.
	NetworkPolicies bool
	// objects are the objects that the program has registered for the cluster.
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

// deletedWith returns the option that lets a resource disappear with a cluster that we made,
// without a delete of its own.
func (c *Cluster) deletedWith() []pulumi.ResourceOption {
	if c.Identity == nil {
		return nil
	}
	return []pulumi.ResourceOption{pulumi.DeletedWith(c.Identity)}
}

// newProvider registers the provider of a cluster. It depends on the API gate, because a provider
// tests only once, when it is configured, whether its cluster can be reached. The identity prevents
// a replacement when the kubeconfig's text changes. upsert lets the provider take over existing
// objects, which needs a guard (Cluster.adopt). If upsert is nil, an environment variable decides.
func newProvider(ctx *pulumi.Context, name string, kubeconfig, identity pulumi.StringInput,
	upsert pulumi.BoolPtrInput, opts ...pulumi.ResourceOption) (*kubernetes.Provider, error) {
	return kubernetes.NewProvider(ctx, name, &kubernetes.ProviderArgs{
		Kubeconfig:        kubeconfig.ToStringOutput(),
		ClusterIdentifier: identity.ToStringOutput(),
		// Otherwise a ConfigMap whose data changes would be deleted and created again. A Pod that
		// starts in between would not find it.
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

// gate registers a gate of a layer inside the cluster. The gate asks every API server, and observes
// from every server host if hosts can be reached. The method adds hosts, servers and keys to
// args.Spec.
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

// unblock registers the command that lets a StatefulSet replace broken Pods of an earlier revision,
// for which Kubernetes would wait for ever. It is for StatefulSets that replace their Pods in order
// (podManagementPolicy OrderedReady). It runs again with each revision.
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

// reissue registers the command that has cert-manager reissue the certificates of an earlier
// signer, which is the issuer's CA or its server. opts must make the command wait for the new
// signer's gate: until then, cert-manager uses the earlier signer.
func (c *Cluster) reissue(
	ctx *pulumi.Context, name string, input reissue.Input, opts ...pulumi.ResourceOption,
) (pulumi.Resource, error) {
	opts = slices.Concat(opts, c.deletedWith())
	// The word is drawn anew for each signer. After a failed change that is reverted, some
	// certificates may be from either signer.
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

// read registers the command that reads a field of the core API once. It runs after the resources
// that prove that the field exists. The value is not secret.
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
