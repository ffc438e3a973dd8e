package components

import (
	"encoding/json"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	return health.NewGate(ctx, name, &args, opts...)
}

// rollout registers the gate of a layer's workloads, as namespace/kind/name. What a layer answers proves only that some revision
// works: after an upgrade to a broken one the previous revision goes on answering. revision is a digest of what was rolled out.
func (c *Cluster) rollout(ctx *pulumi.Context, name, layer, revision string, timeout metav1.Duration, key string, workloads []string, opts ...pulumi.ResourceOption) (*health.Gate, error) {
	return c.gate(ctx, name, health.GateArgs{Spec: health.Spec{
		Kind: health.KindRollout, Layer: layer, Revision: revision, Timeout: timeout, TimeoutKey: key,
		Rollout: &health.RolloutSpec{Workloads: workloads},
	}}, opts...)
}

// unblock registers the command that lets a StatefulSet past broken Pods of an earlier revision, for which Kubernetes would wait for
// ever. It is for those that replace their Pods in order (podManagementPolicy OrderedReady), and runs again with each revision.
func (c *Cluster) unblock(ctx *pulumi.Context, name, namespace, set, revision string, limit metav1.Duration, opts ...pulumi.ResourceOption) (*local.Command, error) {
	stdin, err := json.Marshal(map[string]any{"namespace": namespace, "statefulSet": set, "revision": revision, "timeout": limit})
	if err != nil {
		return nil, err
	}
	command := runs("unblock", pulumi.String(string(stdin)), pulumi.StringMap{"STRATA_KUBECONFIG": c.Kubeconfig})
	return local.NewCommand(ctx, name, command, append(opts, bounded(limit), pulumi.DeletedWith(c.Identity))...)
}

// field is one field of one object in the cluster.
type field struct {
	resource, namespace, name string
	// path is kubectl's JSONPath; encoded says that the field is in base64.
	path    string
	encoded bool
	// revision makes it be read again when it changes.
	revision string
}

// read registers the command that reads a field of the core API once, behind what proves that it is there. Not secret.
func (c *Cluster) read(ctx *pulumi.Context, name string, args field, limit metav1.Duration, opts ...pulumi.ResourceOption) (pulumi.StringOutput, error) {
	stdin, err := json.Marshal(map[string]any{
		"version": "v1", "resource": args.resource, "namespace": args.namespace, "name": args.name,
		"path": args.path, "base64": args.encoded, "revision": args.revision, "timeout": limit,
	})
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	command := runs("read", pulumi.String(string(stdin)), pulumi.StringMap{"STRATA_KUBECONFIG": c.Kubeconfig})
	read, err := local.NewCommand(ctx, name, command, append(opts, bounded(limit))...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return pulumi.Unsecret(read.Stdout).(pulumi.StringOutput), nil
}
