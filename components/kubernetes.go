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

// object has the fields of a Kubernetes object, or values of a chart, as in YAML. A value may be a
// pulumi.Input.
type object = map[string]any

// array is a list in an object.
type array = []any

// inputsOf returns the Pulumi inputs of an object.
func inputsOf(fields object) pulumi.Map {
	inputs := make(pulumi.Map, len(fields))
	for name, value := range fields {
		inputs[name] = valueOf(value)
	}
	return inputs
}

func valueOf(value any) pulumi.Input {
	switch v := value.(type) {
	case pulumi.Input:
		return v
	case object:
		return inputsOf(v)
	case array:
		list := make(pulumi.Array, 0, len(v))
		for _, one := range v {
			list = append(list, valueOf(one))
		}
		return list
	case []string:
		return pulumi.ToStringArray(v)
	case string:
		return pulumi.String(v)
	case bool:
		return pulumi.Bool(v)
	case int:
		return pulumi.Int(v)
	case int64:
		return pulumi.Float64(v)
	case float64:
		return pulumi.Float64(v)
	}
	return pulumi.Any(value)
}

// Object is a Kubernetes object that is registered by its Pulumi type token. The SDK's typed
// packages are not used, because core/v1 and helm/v3 take minutes to compile (docs/adr/0003).
type Object struct{ pulumi.CustomResourceState }

// newObject registers a Kubernetes object by its Pulumi type token, for example
// kubernetes:core/v1:Namespace. It runs the cluster's hook before each create and update.
func newObject(
	ctx *pulumi.Context, cluster *Cluster, token, name string, fields object,
	opts ...pulumi.ResourceOption,
) (*Object, error) {
	version, err := utilities.PkgVersion()
	if err != nil {
		return nil, fmt.Errorf("version of the kubernetes SDK: %w", err)
	}
	returns := putBack(ctx, name)
	inputs := inputsOf(returns.addTo(ctx, fields))
	cluster.note(token, inputs)
	made := &Object{}
	opts = append(slices.Clone(opts), cluster.deletedWith(), beforeChange(cluster.before),
		returns.option, pulumi.Provider(cluster.Provider), pulumi.Version(version.String()))
	if err := ctx.RegisterResource(token, name, inputs, made, opts...); err != nil {
		return nil, err
	}
	return made, nil
}

// note adds an object to the cluster's list of objects that the program declares. If the name is
// not known yet, note does nothing and the caller must add the object.
func (c *Cluster) note(token string, inputs pulumi.Map) {
	version, kind, _ := strings.Cut(strings.TrimPrefix(token, "kubernetes:"), ":")
	group, _, _ := strings.Cut(version, "/")
	if group == "core" {
		group = ""
	}
	metadata := inputs
	if kind != "Release" {
		metadata, _ = inputs["metadata"].(pulumi.Map)
	}
	namespace, _ := metadata["namespace"].(pulumi.String)
	if name, named := metadata["name"].(pulumi.String); named {
		c.objects.Add(schema.GroupKind{Group: group, Kind: kind}.String(), string(namespace),
			string(name))
	}
}

type customResource struct {
	apiVersion, kind, name, namespace string
	// wait has the annotations that make Pulumi wait for a certain status of the object. Nil if no
	// field of the object's status proves that the object works.
	wait pulumi.StringMap
	// finalizers are the object's finalizers. Optional.
	finalizers []string
	// foreground makes the object's delete wait until all objects that it owns are deleted.
	foreground bool
	spec       object
}

// background is the annotation that sets how an object is deleted; its value background deletes the
// object without waiting for its dependents. The provider's default, foreground deletion, adds a
// finalizer, which the garbage collector removes by an update. If the object's admission webhook is
// down, every update is refused, so a destroy would hang
// (https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion).
const background = "pulumi.com/deletionPropagationPolicy"

// newCustomResource registers a custom resource. It is deleted in the background unless
// args.foreground is set, because most custom resources have an admission webhook (see background).
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
	returns := putBack(ctx, name)
	maps.Copy(annotations, returns.annotations(ctx))
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
		OtherFields: map[string]any{"spec": inputsOf(args.spec)},
	}, append(slices.Clone(opts), cluster.deletedWith(), beforeChange(cluster.before),
		returns.option, pulumi.Provider(cluster.Provider))...)
}

// withoutWait is the annotation that makes the provider's delete of a namespace return as soon as
// the namespace is Terminating. The command of namespaceEnd waits instead, and reports why the
// deletion takes long. So the state never has a Terminating namespace.
const withoutWait = "pulumi.com/skipAwait"

// newNamespace registers a namespace and the command that waits for its deletion. Each namespace
// has one owner: the component whose objects are in it.
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
	metadata := object{"name": namespace, "annotations": object{withoutWait: "true"}}
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	return newObject(ctx, cluster, "kubernetes:core/v1:Namespace", name, object{
		"apiVersion": "v1", "kind": "Namespace", "metadata": metadata,
	}, opts...)
}

// spreadOverNodes returns the topology spread constraints of a Deployment's Pods. Only Pods of the
// same revision count: if old Pods counted, a rollout after a drain would put all new Pods on the
// drained node. The constraint is soft, because the surge Pod of a rollout fits on no node if there
// are as many Pods as nodes.
func spreadOverNodes(labels object) array {
	return array{object{
		"maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
		"whenUnsatisfiable": "ScheduleAnyway",
		"labelSelector":     object{"matchLabels": labels},
		"matchLabelKeys":    []string{"pod-template-hash"},
	}}
}
