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

// Cluster gives layers access to the cluster in which they are installed.
type Cluster struct {
	// Provider is the cluster's Kubernetes provider. It depends on the API gate.
	Provider *kubernetes.Provider
	// Identity is replaced only when the cluster is rebuilt. Objects have it as DeletedWith, so a
	// destroy does not delete them one by one and needs no API server. Nil on an existing cluster,
	// which survives a destroy, so each object must be deleted.
	Identity pulumi.Resource
	// Kubeconfig has the address of Endpoint. It is secret.
	Kubeconfig pulumi.StringOutput
	// Endpoint is the URL of the Kubernetes API.
	Endpoint pulumi.StringInput
	// Servers are the URLs of the API servers. Gates check each of them.
	Servers pulumi.StringArrayInput
	// Hosts are the nodes to which gates log in. Nil for an existing cluster, whose nodes have no
	// SSH login; gates then only use the API.
	Hosts *Hosts
	// Version is the cluster's version of Kubernetes, for example v1.34.2+k3s1; empty if it is
	// unknown.
	Version string
	// Images are the digests of images in the lock file. Gates of workloads compare them with the
	// running images.
	Images map[string][]string
	// Stable passes once the API answers and this run will drain no more nodes. Every change and
	// check inside the cluster waits for it.
	Stable pulumi.Resource
	// NamespaceEnd bounds the wait until a deleted namespace is gone (strata:timeouts.namespaces).
	NamespaceEnd metav1.Duration
	// NetworkPolicies is true if each layer's namespace gets a network policy.
	NetworkPolicies bool
	// objects are the objects that the program has registered for the cluster.
	objects teardown.Objects
	// before is the hook that runs before each create and update; nil if existing objects are not
	// adopted.
	before *pulumi.ResourceHook
}

// tunnelTo returns the SSH tunnel to the hosts' API and to the load balancer's addresses. It
// returns the zero Spec if no jump host is needed.
func tunnelTo(hosts []*Host) tunnel.Spec {
	return tunnel.First(hosts, func(host *Host) remote.Target { return host.at.Target })
}

// deletedWith returns the option DeletedWith: when the cluster is destroyed, Pulumi drops the
// resource from the state without deleting it. On an existing cluster, the option does nothing.
func (c *Cluster) deletedWith() pulumi.ResourceOption {
	if c.Identity == nil {
		return pulumi.Composite()
	}
	return pulumi.DeletedWith(c.Identity)
}

// newProvider registers the Kubernetes provider of a cluster. opts must make the provider wait for
// the API gate, because a provider checks only once, when it is configured, whether it reaches its
// cluster. identity keeps the provider from being replaced when the kubeconfig's text changes.
// upsert lets the provider adopt existing objects, which is safe only with the hook of Cluster.ask.
// If upsert is nil, an environment variable decides.
func newProvider(ctx *pulumi.Context, name string, kubeconfig, identity pulumi.StringInput,
	upsert pulumi.BoolPtrInput, opts ...pulumi.ResourceOption) (*kubernetes.Provider, error) {
	return kubernetes.NewProvider(ctx, name, &kubernetes.ProviderArgs{
		Kubeconfig:        kubeconfig.ToStringOutput(),
		ClusterIdentifier: identity.ToStringOutput(),
		// Otherwise the provider would replace a ConfigMap or Secret whose data changes, and a Pod
		// that starts between delete and create would not find it.
		EnableConfigMapMutable: pulumi.Bool(true),
		EnableSecretMutable:    pulumi.Bool(true),
		UpsertExistingObjects:  upsert,
	}, opts...)
}

// serverList returns the URLs of the API servers, separated by spaces.
func (c *Cluster) serverList() pulumi.StringOutput {
	return c.Servers.ToStringArrayOutput().ApplyT(func(servers []string) string {
		return strings.Join(servers, " ")
	}).(pulumi.StringOutput)
}

// gate registers a gate of a layer inside the cluster. The gate checks through every API server
// and, if hosts can be reached, from every server host. The method fills in the hosts, servers and
// kubeconfig of args.
func (c *Cluster) gate(
	ctx *pulumi.Context, name string, args gateArgs, opts ...pulumi.ResourceOption,
) (*Gate, error) {
	if c.Hosts != nil {
		args.Hosts = c.Hosts.With(config.RoleServer)
	}
	if args.Spec.Body.Traits().Workloads {
		args.Spec.Images = c.Images
	}
	args.Servers, args.Spec.Existing, args.Kubeconfig = c.Servers, c.Identity == nil, c.Kubeconfig
	return newGate(ctx, name, &args, opts...)
}

// namespaceEnd registers a command whose delete waits until the namespace is gone. The namespace
// must depend on the command, so that Pulumi deletes the namespace first. name and opts are those
// of the namespace; ended is the namespace's name in the cluster.
func (c *Cluster) namespaceEnd(
	ctx *pulumi.Context, name, ended string, opts ...pulumi.ResourceOption,
) (pulumi.Resource, error) {
	args := gateArgs{Kubeconfig: c.Kubeconfig, Servers: c.Servers, Spec: health.Spec{
		Layer: ended, Timeout: c.NamespaceEnd, TimeoutKey: "strata:timeouts.namespaces",
		Existing: c.Identity == nil, Body: namespace.Spec{Name: ended},
	}}
	if c.Hosts != nil {
		if servers := c.Hosts.With(config.RoleServer); tunnelTo(servers).There() {
			args.Hosts = servers
		}
	}
	end, err := newGateAtDelete(ctx, name+"-end", &args,
		append(slices.Clone(opts), c.deletedWith())...)
	if err != nil {
		return nil, fmt.Errorf("end of namespace %s: %w", ended, err)
	}
	return end, nil
}

// unblock registers the command that deletes broken Pods of a StatefulSet's earlier revision.
// Otherwise the StatefulSet controller (podManagementPolicy OrderedReady) would wait for ever until
// such a Pod is ready. The command runs again when the revision changes.
func (c *Cluster) unblock(ctx *pulumi.Context, name string, input statefulset.Input,
	revision pulumi.StringInput, opts ...pulumi.ResourceOption) (*local.Command, error) {
	asked := pulumix.Apply(revision.ToStringOutput(), func(revision string) statefulset.Input {
		input.Revision = revision
		return input
	})
	command := actions.CommandOf(statefulset.Unblock, asked,
		pulumi.StringMap{self.Kubeconfig: c.Kubeconfig})
	return local.NewCommand(ctx, name, command,
		append(slices.Clone(opts), c.deletedWith(), customTimeouts(input.Timeout),
			rerun.ReplaceOnChange())...)
}

// reissue registers the command that makes cert-manager reissue all certificates that an earlier
// signer (the issuer's former CA or server) has signed. opts must make the command wait for the new
// signer's gate, because before that gate passes, cert-manager signs with the earlier signer.
func (c *Cluster) reissue(
	ctx *pulumi.Context, name string, input reissue.Input, opts ...pulumi.ResourceOption,
) (pulumi.Resource, error) {
	opts = append(slices.Clone(opts), c.deletedWith())
	// The word changes with each change of the signer, so the command also runs after a failed
	// change is reverted. Otherwise some certificates would keep the signature of the failed
	// change's signer.
	word, err := rerun.Attempt(ctx, name, pulumi.StringMap{"signer": pulumi.String(input.Signer)},
		opts...)
	if err != nil {
		return nil, err
	}
	command := actions.Command(reissue.Reissue, input,
		pulumi.StringMap{self.Kubeconfig: c.Kubeconfig, self.Attempt: word})
	command.AddPreviousOutputInEnv = pulumi.Bool(true) // the output names the previous signer
	return local.NewCommand(ctx, name, command, append(opts, customTimeouts(input.Timeout))...)
}

// read registers a command that reads a field of an object of the core API, and returns the value.
// The command runs again only if field changes. opts must make the command wait until the field is
// set. The value is not secret.
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
