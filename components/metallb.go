package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health"
	"strata/internal/artifacts"
)

// MetalLBArgs configures MetalLB.
type MetalLBArgs struct {
	// Config is the section strata:metallb, validated.
	Config config.MetalLB
	// Cluster is where MetalLB runs. Required.
	Cluster *Cluster
	// Artifacts has the chart.
	Artifacts *artifacts.Set
	// Timeouts bound the gates.
	Timeouts config.Timeouts
	// After are the gates that the release waits for.
	After []pulumi.Resource
}

// MetalLB owns the load balancer: its namespace, release, address pool and L2 announcement.
type MetalLB struct {
	pulumi.ResourceState
	// Rollout holds once the speaker of every node is of the newest revision and serves.
	Rollout *health.Gate
	// Webhook holds once MetalLB's admission webhook serves through every API server.
	Webhook *health.Gate
	// Pool holds once the running controller and the speakers have accepted the address pool.
	Pool *health.Gate
}

const (
	metallbNamespace = "metallb-system"
	metallbPool      = "default"
)

// NewMetalLB registers MetalLB. The pool waits for the webhook gate: the controller's Pod is Ready long before its webhook
// serves (metallb internal/k8s/k8s.go: readyz is healthz.Ping).
func NewMetalLB(ctx *pulumi.Context, name string, args *MetalLBArgs, opts ...pulumi.ResourceOption) (*MetalLB, error) {
	m := &MetalLB{}
	if err := ctx.RegisterComponentResource("strata:metallb:MetalLB", name, m, opts...); err != nil {
		return nil, err
	}
	chart, err := args.Artifacts.One(config.ArtifactMetalLBChart)
	if err != nil {
		return nil, fmt.Errorf("metallb: %w", err)
	}
	namespace, err := newNamespace(ctx, args.Cluster, name+"-namespace", metallbNamespace, metallbLabels(), childOf(m, args.After...)...)
	if err != nil {
		return nil, fmt.Errorf("metallb: namespace: %w", err)
	}
	release, err := newRelease(ctx, args.Cluster, name+"-release", releaseArgs{
		name: "metallb", namespace: metallbNamespace, chart: chart.Path, values: metallbValues(),
	}, childOf(m, namespace)...)
	if err != nil {
		return nil, fmt.Errorf("metallb: release: %w", err)
	}
	if m.Webhook, err = m.gate(ctx, name+"-webhook", args, metallbWebhook(args, chart.SHA256), release); err != nil {
		return nil, fmt.Errorf("metallb: webhook gate: %w", err)
	}
	// Beside the webhook and not before it: speakers start on nodes that are still joining, and the webhook needs none of them.
	m.Rollout, err = args.Cluster.rollout(ctx, name+"-rollout", "metallb", digestOf(chart.SHA256, args.Config), args.Timeouts.MetalLBWebhook,
		"strata:timeouts.metallbWebhook", []string{metallbNamespace + "/DaemonSet/metallb-speaker"}, childOf(m, release)...)
	if err != nil {
		return nil, fmt.Errorf("metallb: rollout gate: %w", err)
	}
	objects, err := m.addresses(ctx, name, args)
	if err != nil {
		return nil, fmt.Errorf("metallb: %w", err)
	}
	if m.Pool, err = m.gate(ctx, name+"-pool-gate", args, metallbPoolGate(args), objects...); err != nil {
		return nil, fmt.Errorf("metallb: pool gate: %w", err)
	}
	return m, ctx.RegisterResourceOutputs(m, pulumi.Map{})
}

// addresses registers the pool and its announcement, which the webhook admits.
func (m *MetalLB) addresses(ctx *pulumi.Context, name string, args *MetalLBArgs) ([]pulumi.Resource, error) {
	pool, err := m.object(ctx, name+"-pool", args, "IPAddressPool", poolWait(args.Timeouts.MetalLBPool.Duration), pulumi.Map{
		"addresses": pulumi.ToStringArray(args.Config.Addresses), "autoAssign": pulumi.Bool(true),
	}, m.Webhook)
	if err != nil {
		return nil, fmt.Errorf("address pool: %w", err)
	}
	// L2Advertisement's status is an empty struct: there is nothing to wait for on the object, so the pool gate looks at what
	// the speakers made of it.
	advertisement, err := m.object(ctx, name+"-advertisement", args, "L2Advertisement", nil, pulumi.Map{
		"ipAddressPools": pulumi.ToStringArray([]string{metallbPool}),
	}, pool)
	if err != nil {
		return nil, fmt.Errorf("l2 advertisement: %w", err)
	}
	return []pulumi.Resource{pool, advertisement}, nil
}

// object registers one of MetalLB's custom resources.
func (m *MetalLB) object(ctx *pulumi.Context, name string, args *MetalLBArgs, kind string, wait pulumi.StringMap, spec pulumi.Map, needs ...pulumi.Resource) (pulumi.Resource, error) {
	return newCustomResource(ctx, args.Cluster, name, customResource{
		apiVersion: "metallb.io/v1beta1", kind: kind, name: metallbPool, namespace: metallbNamespace, wait: wait, spec: spec,
	}, childOf(m, needs...)...)
}

// gate registers one of MetalLB's gates.
func (m *MetalLB) gate(ctx *pulumi.Context, name string, args *MetalLBArgs, spec health.Spec, needs ...pulumi.Resource) (*health.Gate, error) {
	spec.Layer = "metallb"
	return args.Cluster.gate(ctx, name, health.GateArgs{Spec: spec}, childOf(m, needs...)...)
}
