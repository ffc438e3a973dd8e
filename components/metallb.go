package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/config"
	"strata/health"
	poolgate "strata/health/pool"
)

// MetalLBArgs configures MetalLB.
type MetalLBArgs struct {
	Layer
	// Config is the section strata:metallb, validated.
	Config config.MetalLB
	// Addresses are the pool's address ranges, if another resource computes them. Config.Addresses
	// is then ignored. Optional.
	Addresses pulumi.StringArrayInput
	// Values are the chart's values, if another resource computes them. Config.Values must then be
	// empty. Optional.
	Values pulumi.MapInput
}

// MetalLB owns the load balancer: its namespace, release, IPAddressPool and L2Advertisement.
type MetalLB struct {
	pulumi.ResourceState
	// Webhook passes once every API server reaches MetalLB's admission webhook.
	Webhook *Gate
	// Pool passes once the running controller and the speakers have accepted the address pool.
	Pool *Gate
	// Addresses are the address ranges of the pool.
	Addresses pulumi.StringArrayOutput `pulumi:"addresses"`
}

const (
	metallbNamespace = "metallb-system"
	metallbPool      = "default"
)

// metallb holds the values that the steps of NewMetalLB share.
type metallb struct {
	*MetalLB
	layer
	args    *MetalLBArgs
	release release
}

// NewMetalLB registers MetalLB. The pool waits for the webhook gate, because the controller's Pod
// is Ready long before its webhook serves (metallb internal/k8s/k8s.go: readyz is healthz.Ping).
func NewMetalLB(
	ctx *pulumi.Context, name string, args *MetalLBArgs, opts ...pulumi.ResourceOption,
) (*MetalLB, error) {
	m := &metallb{MetalLB: &MetalLB{}, args: args}
	m.layer = layer{
		Layer: args.Layer, ctx: ctx, parent: m.MetalLB, name: name, title: "metallb",
		space:  metallbNamespace,
		policy: layerPolicy{pods: instanceLabel("metallb"), open: []int{7472, 9120, 9443}},
		limit:  args.Timeouts.MetalLBWebhook, limitKey: "strata:timeouts.metallbWebhook",
	}
	return m.MetalLB, m.register(tokenOf("metallb", "MetalLB"), opts, m.install, m.gates,
		m.addresses)
}

// install registers the namespace and the release.
func (m *metallb) install() error {
	if err := m.newNamespace(m.chartValues(), metallbLabels(), m.After...); err != nil {
		return err
	}
	var err error
	m.release, err = m.newRelease(releaseArgs{
		name: "metallb", artifact: config.ArtifactMetalLBChart, values: metallbValues(),
		own: m.chartValues(),
	}, m.namespace)
	return err
}

func (m *metallb) chartValues() userValues {
	return m.userValues(config.ArtifactMetalLBChart, m.args.Config.Values, m.args.Values)
}

// gates registers the gates of the webhook and the rollout.
func (m *metallb) gates() (err error) {
	webhook := gateArgs{Spec: metallbWebhook(), Revision: m.release.revision()}
	if m.Webhook, err = m.gate("webhook", webhook, m.release.object); err != nil {
		return err
	}
	// The webhook gate does not include the rollout: the controller serves the webhook, and the
	// speakers' Pods may still have to start on nodes that join. A separate gate checks the
	// rollout.
	_, err = m.rollout(m.release, m.release.revision(m.args.Config),
		metallbNamespace+"/DaemonSet/metallb-speaker")
	return err
}

// addresses registers the IPAddressPool, its L2Advertisement and the gate of both.
func (m *metallb) addresses() error {
	var err error
	if m.Addresses, err = m.ranges(); err != nil {
		return err
	}
	pool, err := m.content("pool", "IPAddressPool", poolWait(m.Timeouts.MetalLBPool.Duration),
		object{"addresses": m.Addresses, "autoAssign": true}, m.Webhook)
	if err != nil {
		return err
	}
	// An L2Advertisement has an empty status, so Pulumi cannot wait for it. The pool gate checks
	// the speakers instead.
	advertisement, err := m.content("advertisement", "L2Advertisement", nil, object{
		"ipAddressPools": []string{metallbPool},
	}, pool)
	if err != nil {
		return err
	}
	spec := metallbPoolGate(m.args)
	m.Pool, err = m.gate("pool-gate", gateArgs{
		Spec: spec, Body: pulumix.Apply(m.Addresses, func(ranges []string) health.Body {
			body := spec.Body.(poolgate.Spec)
			body.Addresses = ranges
			return body
		}),
	}, pool, advertisement)
	return err
}

// ranges returns the address ranges of the pool. Ranges that are outputs are validated once they
// are known; the output fails if they are invalid.
func (m *metallb) ranges() (pulumi.StringArrayOutput, error) {
	if m.args.Addresses == nil {
		plain := m.args.Config.Addresses
		return pulumi.ToStringArray(plain).ToStringArrayOutput(), m.Rules.CheckAddresses(plain)
	}
	return m.args.Addresses.ToStringArrayOutput().ApplyT(func(ranges []string) ([]string, error) {
		return ranges, m.Rules.CheckAddresses(ranges)
	}).(pulumi.StringArrayOutput), nil
}

// content registers a custom resource of MetalLB, named default.
func (m *metallb) content(
	role, kind string, wait pulumi.StringMap, spec object, needs ...pulumi.Resource,
) (pulumi.Resource, error) {
	return m.object(role, customResource{
		apiVersion: "metallb.io/v1beta1", kind: kind, name: metallbPool,
		namespace: metallbNamespace, wait: wait, spec: spec,
	}, needs...)
}

// metallbValues returns the chart's values. Only L2 mode is used, so FRR is disabled.
func metallbValues() object {
	return object{
		"frrk8s": object{"enabled": false},
		"speaker": object{"frr": object{"enabled": false},
			"livenessProbe": patientLiveness()},
		"controller": object{"livenessProbe": patientLiveness()},
		"crds":       object{"enabled": true, "validationFailurePolicy": "Fail"},
	}
}
