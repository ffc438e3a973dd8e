package components

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/apiextensions"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/utilities"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Object is a Kubernetes object that is registered by its token. The typed packages are not used,
// because compiling core/v1 and helm/v3 takes users minutes (docs/adr/0003).
type Object struct{ pulumi.CustomResourceState }

// newObject registers an object of the cluster by its Pulumi token, for example
// kubernetes:core/v1:Namespace.
func newObject(
	ctx *pulumi.Context, cluster *Cluster, token, name string, fields pulumi.Map,
	opts ...pulumi.ResourceOption,
) (*Object, error) {
	version, err := utilities.PkgVersion()
	if err != nil {
		return nil, fmt.Errorf("version of the kubernetes SDK: %w", err)
	}
	cluster.note(token, fields)
	object := &Object{}
	opts = slices.Concat(opts, cluster.deletedWith(), cluster.hookOptions(),
		[]pulumi.ResourceOption{pulumi.Provider(cluster.Provider),
			pulumi.Version(version.String())})
	if err := ctx.RegisterResource(token, name, fields, object, opts...); err != nil {
		return nil, err
	}
	return object, nil
}

// note records an object as the program's own, by its token and its fields. Callers record fields
// of other types themselves.
func (c *Cluster) note(token string, fields pulumi.Map) {
	version, kind, _ := strings.Cut(strings.TrimPrefix(token, "kubernetes:"), ":")
	group, _, _ := strings.Cut(version, "/")
	if group == "core" {
		group = ""
	}
	metadata := fields
	if kind != "Release" {
		metadata, _ = fields["metadata"].(pulumi.Map)
	}
	namespace, _ := metadata["namespace"].(pulumi.String)
	if name, named := metadata["name"].(pulumi.String); named {
		c.objects.Add(schema.GroupKind{Group: group, Kind: kind}.String(), string(namespace),
			string(name))
	}
}

// customResource is an object of a kind that a CRD defines.
type customResource struct {
	apiVersion, kind, name, namespace string
	// wait makes the engine wait until the object's status shows that it works; nil if the status
	// does not show that.
	wait pulumi.StringMap
	// finalizers keep a deleted object until their owner has cleaned up after it; mostly none.
	finalizers []string
	// foreground makes the object's delete wait for all objects that it owns.
	foreground bool
	spec       pulumi.Map
}

// background is the annotation that lets an object's delete not wait for its dependents, and adds
// no finalizer. In the foreground, the provider's default, the garbage collector removes such a
// finalizer with an update. An admission webhook that is down refuses every update, so a destroy
// after the death of a controller would not end
// (https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion).
const background = "pulumi.com/deletionPropagationPolicy"

// newCustomResource registers a custom resource of the cluster. Most custom resources have an
// admission webhook, so they are deleted in the background.
func newCustomResource(
	ctx *pulumi.Context, cluster *Cluster, name string, args customResource,
	opts ...pulumi.ResourceOption,
) (pulumi.Resource, error) {
	version := schema.FromAPIVersionAndKind(args.apiVersion, args.kind)
	cluster.objects.Add(version.GroupKind().String(), args.namespace, args.name)
	annotations := maps.Clone(args.wait)
	if annotations == nil {
		annotations = pulumi.StringMap{}
	}
	if !args.foreground {
		annotations[background] = pulumi.String("background")
	}
	metadata := &metav1.ObjectMetaArgs{Name: pulumi.String(args.name), Annotations: annotations}
	if args.namespace != "" {
		metadata.Namespace = pulumi.String(args.namespace)
	}
	if len(args.finalizers) > 0 {
		metadata.Finalizers = pulumi.ToStringArray(args.finalizers)
	}
	return apiextensions.NewCustomResource(ctx, name, &apiextensions.CustomResourceArgs{
		ApiVersion:  pulumi.String(args.apiVersion),
		Kind:        pulumi.String(args.kind),
		Metadata:    metadata,
		OtherFields: map[string]any{"spec": args.spec},
	}, slices.Concat(opts, cluster.deletedWith(), cluster.hookOptions(),
		[]pulumi.ResourceOption{pulumi.Provider(cluster.Provider)})...)
}

// withoutWait is the annotation that makes the provider's delete of a namespace return once the
// deletion has begun. namespaceEnd waits instead, and reports why it takes long. So the state never
// has a namespace that is ending.
const withoutWait = "pulumi.com/skipAwait"

// newNamespace registers a namespace. Each has one owner: the component whose objects live there.
func newNamespace(ctx *pulumi.Context, cluster *Cluster, name, namespace string,
	labels pulumi.StringMap, opts ...pulumi.ResourceOption) (*Object, error) {
	end, err := cluster.namespaceEnd(ctx, name, namespace, opts...)
	if err != nil {
		return nil, err
	}
	options, err := pulumi.NewResourceOptions(opts...)
	if err != nil {
		return nil, err
	}
	opts = append(opts, childOf(options.Parent, end)...)
	metadata := pulumi.Map{"name": pulumi.String(namespace),
		"annotations": pulumi.Map{withoutWait: pulumi.String("true")}}
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	return newObject(ctx, cluster, "kubernetes:core/v1:Namespace", name, pulumi.Map{
		"apiVersion": pulumi.String("v1"), "kind": pulumi.String("Namespace"), "metadata": metadata,
	}, opts...)
}

// spreadOverNodes returns the spread constraints of a Deployment's Pods. Each revision is spread by
// itself, because old Pods are about to go. If they counted, a rollout after a drain would put all
// new Pods on the drained node. The constraint is soft: with as many Pods as nodes, the extra Pod
// of a rollout would find no node.
func spreadOverNodes(labels pulumi.Input) pulumi.Array {
	return pulumi.Array{pulumi.Map{
		"maxSkew": pulumi.Int(1), "topologyKey": pulumi.String("kubernetes.io/hostname"),
		"whenUnsatisfiable": pulumi.String("ScheduleAnyway"),
		"labelSelector":     pulumi.Map{"matchLabels": labels},
		"matchLabelKeys":    pulumi.ToStringArray([]string{"pod-template-hash"}),
	}}
}
