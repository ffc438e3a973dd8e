package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/config"
	"strata/health"
)

// MetalLBArgs configures MetalLB.
type MetalLBArgs struct {
	// Config is the section strata:metallb, validated.
	Config config.MetalLB
	// Cluster takes MetalLB. Required.
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
	// Webhook holds once MetalLB's admission webhook serves through every API server.
	Webhook *Gate
	// Pool holds once the running controller and the speakers have accepted the address pool.
	Pool *Gate
}

const (
	metallbNamespace = "metallb-system"
	metallbPool      = "default"
)

// metallb holds the state that the constructor's steps share.
type metallb struct {
	*MetalLB
	ctx     *pulumi.Context
	name    string
	args    *MetalLBArgs
	chart   artifacts.Artifact
	own     ownValues
	release *Object
}

// NewMetalLB registers MetalLB. The pool waits for the webhook gate: the controller's Pod is Ready
// long before its webhook serves (metallb internal/k8s/k8s.go: readyz is healthz.Ping).
func NewMetalLB(ctx *pulumi.Context, name string, args *MetalLBArgs, opts ...pulumi.ResourceOption) (*MetalLB, error) {
	m := &metallb{MetalLB: &MetalLB{}, ctx: ctx, name: name, args: args}
	if err := ctx.RegisterComponentResource("strata:metallb:MetalLB", name, m.MetalLB, opts...); err != nil {
		return nil, err
	}
	for _, step := range []func() error{m.install, m.gates, m.addresses} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("metallb: %w", err)
		}
	}
	return m.MetalLB, ctx.RegisterResourceOutputs(m.MetalLB, pulumi.Map{})
}

// install registers the namespace and the release.
func (m *metallb) install() error {
	var err error
	if m.chart, err = m.args.Artifacts.One(config.ArtifactMetalLBChart); err != nil {
		return err
	}
	namespace, err := newLayerNamespace(m.ctx, m.args.Cluster, m.name, metallbNamespace, m.args.Config.Values, metallbLabels(),
		childOf(m, m.args.After...)...)
	if err != nil {
		return fmt.Errorf("namespace: %w", err)
	}
	if m.own, err = newOwnValues(m.ctx, m.name, m.args.Config.Values, childOf(m, namespace)...); err != nil {
		return err
	}
	m.release, err = newRelease(m.ctx, m.args.Cluster, m.name+"-release", releaseArgs{
		name: "metallb", namespace: metallbNamespace, chart: m.chart.Path, values: metallbValues(), own: m.own.Values,
	}, childOf(m, namespace)...)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}

// gates registers the gates of the webhook and the rollout.
func (m *metallb) gates() (err error) {
	webhook := GateArgs{Spec: metallbWebhook(m.args), Revision: m.own.revision(m.chart.SHA256)}
	if m.Webhook, err = m.gate("webhook", webhook, m.release); err != nil {
		return fmt.Errorf("webhook gate: %w", err)
	}
	// Beside the webhook and not before it: speakers start on nodes that are still joining, and the
	// webhook needs none of them.
	_, err = m.args.Cluster.rollout(m.ctx, m.name+"-rollout", health.Spec{
		Layer: "metallb", Timeout: m.args.Timeouts.MetalLBWebhook, TimeoutKey: "strata:timeouts.metallbWebhook",
		Releases: []string{metallbNamespace + "/metallb"},
	}, m.own.revision(digestOf(m.chart.SHA256, m.args.Config)), []string{metallbNamespace + "/DaemonSet/metallb-speaker"}, childOf(m, m.release)...)
	if err != nil {
		return fmt.Errorf("rollout gate: %w", err)
	}
	return nil
}

// addresses registers the pool and its announcement, which the webhook admits, and their gate.
func (m *metallb) addresses() error {
	pool, err := m.object("pool", customResource{
		kind: "IPAddressPool", wait: poolWait(m.args.Timeouts.MetalLBPool.Duration), spec: pulumi.Map{
			"addresses": pulumi.ToStringArray(m.args.Config.Addresses), "autoAssign": pulumi.Bool(true),
		},
	}, m.Webhook)
	if err != nil {
		return fmt.Errorf("address pool: %w", err)
	}
	// L2Advertisement's status is an empty struct: there is nothing to wait for on the object, so
	// the pool gate observes the speakers instead.
	advertisement, err := m.object("advertisement", customResource{
		kind: "L2Advertisement", spec: pulumi.Map{"ipAddressPools": pulumi.ToStringArray([]string{metallbPool})},
	}, pool)
	if err != nil {
		return fmt.Errorf("l2 advertisement: %w", err)
	}
	if m.Pool, err = m.gate("pool-gate", GateArgs{Spec: metallbPoolGate(m.args)}, pool, advertisement); err != nil {
		return fmt.Errorf("pool gate: %w", err)
	}
	return nil
}

// object registers one of MetalLB's custom resources.
func (m *metallb) object(role string, object customResource, needs ...pulumi.Resource) (pulumi.Resource, error) {
	object.apiVersion, object.name, object.namespace = "metallb.io/v1beta1", metallbPool, metallbNamespace
	return newCustomResource(m.ctx, m.args.Cluster, m.name+"-"+role, object, childOf(m, needs...)...)
}

// gate registers one of MetalLB's gates.
func (m *metallb) gate(role string, args GateArgs, needs ...pulumi.Resource) (*Gate, error) {
	args.Spec.Layer = "metallb"
	return m.args.Cluster.gate(m.ctx, m.name+"-"+role, args, childOf(m, needs...)...)
}
