package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/artifacts"
	"strata/config"
	"strata/health"
	"strata/health/rollout"
)

// Layer has the arguments that layers inside the cluster share.
type Layer struct {
	// Cluster is the cluster in which the layer is installed. Required.
	Cluster *Cluster
	// Artifacts has the layer's charts and CRDs.
	Artifacts *artifacts.Set
	// Timeouts bound the layer's steps and gates.
	Timeouts config.Timeouts
	// Rules is the configuration, which validates values that are outputs. Required if the layer
	// has such values.
	Rules *config.Config
	// After are the gates that the layer's first objects wait for.
	After []pulumi.Resource
}

// WithDependencies returns a copy of l whose After is gates.
func (l Layer) WithDependencies(gates ...pulumi.Resource) Layer {
	l.After = gates
	return l
}

// layer registers the resources that layers with a Helm chart have in common. Constructors embed it
// in the state that their steps share.
type layer struct {
	Layer
	ctx *pulumi.Context
	// parent is the layer's component. name is the component's name, and the prefix of the names of
	// its resources.
	parent pulumi.ComponentResource
	name   string
	// title is the layer's name in the messages of its gates. limit is the timeout of gates that
	// set no timeout, and limitKey is limit's configuration key.
	title, limitKey string
	limit           metav1.Duration
	// space is the name of the layer's namespace, and policy is the network policy of its Pods.
	space     string
	policy    layerPolicy
	namespace *Object
}

// register registers the component, runs the steps that register its children, and registers its
// outputs.
func (l *layer) register(token string, opts []pulumi.ResourceOption, steps ...func() error) error {
	if err := l.ctx.RegisterComponentResource(token, l.name, l.parent, opts...); err != nil {
		return err
	}
	unsetOutputs(l.parent)
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return registerOutputs(l.ctx, l.parent)
}

// newNamespace registers the layer's namespace and, if Cluster.NetworkPolicies is set, the network
// policy of its Pods. The policy also opens the ports in values, the user's values of the chart.
func (l *layer) newNamespace(
	values userValues, labels pulumi.StringMap, needs ...pulumi.Resource,
) (err error) {
	l.namespace, err = newNamespace(l.ctx, l.Cluster, l.name+"-namespace", l.space, labels,
		childOf(l.parent, needs...)...)
	if err != nil {
		return fmt.Errorf("namespace: %w", err)
	}
	if !l.Cluster.NetworkPolicies {
		return nil
	}
	policy, err := values.apply(func(values config.Values) (object, error) {
		return l.policy.spec(values), nil
	})
	if err != nil {
		return err
	}
	return newNetworkPolicy(l.ctx, l.Cluster, l.name+"-network-policy", l.space, "strata", policy,
		childOf(l.namespace, l.namespace)...)
}

// releaseArgs configures a Helm release in the layer's namespace.
type releaseArgs struct {
	// role is a suffix that distinguishes the resources of several releases in a layer. Optional.
	role string
	// name is the release's name; the chart's objects are named after it.
	name string
	// artifact is the name of the chart's artifact.
	artifact string
	// values are Strata's values. own are the user's values, which are merged with them
	// (mergeValues).
	values object
	own    userValues
	// skipCRDs makes Helm skip the chart's crds/ folder, because another layer owns the CRDs.
	skipCRDs bool
}

// release is a Helm release with its chart and the user's values.
type release struct {
	object *Object
	chart  artifacts.Artifact
	own    ownValues
	// id is the release's namespace/name.
	id string
}

// newRelease registers a Helm release. Pulumi does not wait until its workloads are ready: the
// layer's gates wait, and report the reason of a failure (docs/adr/0003).
func (l *layer) newRelease(args releaseArgs, needs ...pulumi.Resource) (made release, err error) {
	made.id = l.space + "/" + args.name
	if made.chart, err = l.Artifacts.Get(args.artifact); err != nil {
		return made, err
	}
	name, opts := l.name+args.role, childOf(l.parent, needs...)
	if made.own, err = newOwnValues(l.ctx, name, args.own, opts...); err != nil {
		return made, err
	}
	values, err := args.own.apply(func(own config.Values) (object, error) {
		return mergeValues(args.values, own)
	})
	if err != nil {
		return made, err
	}
	fields := object{
		"name":      args.name,
		"namespace": l.space,
		// The chart's path contains its digest, so another chart has another path.
		"chart":     made.chart.Path,
		"values":    values,
		"skipAwait": true,
	}
	if args.skipCRDs {
		fields["skipCrds"] = true
	}
	// A replacement has the old release's name: a delete after the create would remove it.
	made.object, err = newObject(l.ctx, l.Cluster, "kubernetes:helm.sh/v3:Release", name+"-release",
		fields, append(opts, pulumi.DeleteBeforeReplace(true))...)
	if err != nil {
		return made, fmt.Errorf("release %s: %w", args.name, err)
	}
	return made, nil
}

// revision returns a revision for the release's gates, so that they run again when the chart, the
// user's values or more change.
func (r release) revision(more ...any) pulumi.StringInput {
	if len(more) == 0 {
		return r.own.revision(r.chart.SHA256)
	}
	return r.own.revision(digestOf(append([]any{r.chart.SHA256}, more...)...))
}

// rollout registers the gate of a release's workloads, given as namespace/kind/name. Gates that
// send requests do not replace it: after an upgrade to a broken revision, Pods of the previous
// revision still answer.
func (l *layer) rollout(
	of release, revision pulumi.StringInput, workloads ...string,
) (*Gate, error) {
	return l.gate("rollout", gateArgs{Revision: revision, Spec: health.Spec{
		Releases: []string{of.id}, Body: rollout.Spec{Workloads: workloads},
	}}, of.object)
}

func (l *layer) gate(role string, args gateArgs, needs ...pulumi.Resource) (*Gate, error) {
	args.Spec.Layer = l.title
	if args.Spec.TimeoutKey == "" {
		args.Spec.Timeout, args.Spec.TimeoutKey = l.limit, l.limitKey
	}
	gate, err := l.Cluster.gate(l.ctx, l.name+"-"+role, args, childOf(l.parent, needs...)...)
	if err != nil {
		return nil, fmt.Errorf("gate %s: %w", role, err)
	}
	return gate, nil
}

func (l *layer) object(
	role string, object customResource, needs ...pulumi.Resource,
) (pulumi.Resource, error) {
	made, err := newCustomResource(l.ctx, l.Cluster, l.name+"-"+role, object,
		childOf(l.parent, needs...)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	return made, nil
}
