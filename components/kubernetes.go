package components

import (
	"fmt"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/utilities"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
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

// Object is a Kubernetes object that is registered by its token. The typed packages are not imported because core/v1 and
// helm/v3 cost a user minutes of compile time (docs/adr/0003).
type Object struct{ pulumi.CustomResourceState }

// newObject registers an object of the cluster by its Pulumi token, for example kubernetes:core/v1:Namespace.
func newObject(ctx *pulumi.Context, cluster *Cluster, token, name string, fields pulumi.Map, opts ...pulumi.ResourceOption) (*Object, error) {
	version, err := utilities.PkgVersion()
	if err != nil {
		return nil, fmt.Errorf("version of the kubernetes SDK: %w", err)
	}
	object := &Object{}
	opts = append(opts, pulumi.Provider(cluster.Provider), pulumi.DeletedWith(cluster.Identity), pulumi.Version(version.String()))
	if err := ctx.RegisterResource(token, name, fields, object, opts...); err != nil {
		return nil, err
	}
	return object, nil
}

// releaseArgs configures a Helm release.
type releaseArgs struct {
	// name is the release's name; the chart's objects are named after it.
	name, namespace string
	// chart is the chart file's path relative to the project; it holds the digest, so a changed chart is a changed path.
	chart  string
	values pulumi.Map
}

// newRelease registers a Helm release that does not wait: the layer's gate does, and says why (docs/adr/0003).
func newRelease(ctx *pulumi.Context, cluster *Cluster, name string, args releaseArgs, opts ...pulumi.ResourceOption) (*Object, error) {
	return newObject(ctx, cluster, "kubernetes:helm.sh/v3:Release", name, pulumi.Map{
		"name":      pulumi.String(args.name),
		"namespace": pulumi.String(args.namespace),
		"chart":     pulumi.String(args.chart),
		"values":    args.values,
		"skipAwait": pulumi.Bool(true),
	}, opts...)
}
