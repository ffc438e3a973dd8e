package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
)

// GateArgs configures a gate for a program that uses these components.
type GateArgs struct {
	// Cluster is the cluster that the gate checks. Required.
	Cluster *Cluster
	// Body configures the checks. It is a value of type Spec of a package below health, such as
	// rollout.Spec. Required.
	Body health.Body
	// Layer names the checked part of the user's program in the gate's messages. Default: the
	// gate's name.
	Layer string
	// Timeout bounds the whole gate. TimeoutKey is the configuration key of Timeout, for messages.
	// Required.
	Timeout    metav1.Duration
	TimeoutKey string
	// Releases are Helm releases, as namespace/name, whose RBAC rules must be in effect. Only for
	// kinds that check workloads.
	Releases []string
	// Revision is a digest of the configuration of the checked resources. The gate runs again when
	// Revision changes. Optional.
	Revision pulumi.StringInput
	// After are the gates and resources that the gate waits for. None of them may be a component.
	After []pulumi.Resource
}

// NewGate registers a gate for a program that uses these components. Resources wait for the gate by
// the option WaitFor.
func NewGate(
	ctx *pulumi.Context, name string, args *GateArgs, opts ...pulumi.ResourceOption,
) (*Gate, error) {
	layer := args.Layer
	if layer == "" {
		layer = name
	}
	return args.Cluster.gate(ctx, name, gateArgs{Revision: args.Revision, Spec: health.Spec{
		Layer: layer, Timeout: args.Timeout, TimeoutKey: args.TimeoutKey, Releases: args.Releases,
		Body: args.Body,
	}}, append(opts, WaitFor(args.After...))...)
}
