package components

import (
	"fmt"
	"net/netip"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health/upstreams"
)

// APISIXArgs configures APISIX.
type APISIXArgs struct {
	Layer
	// Config is the section strata:apisix, validated.
	Config config.APISIX
	// Values and ControllerValues are the two charts' values, if another resource computes them.
	// Those of Config must then be empty. Optional.
	Values, ControllerValues pulumi.MapInput
	// Domain is the platform's DNS domain (strata:ingress.domain).
	Domain string
	// PodNetwork is the address range of the cluster's Pods. The admin API accepts clients of this
	// range only; the network policy restricts them to the controller's Pods.
	PodNetwork netip.Prefix
	// Full is true if the gates on which no resource depends are registered as well
	// (strata:apps.validate).
	Full bool
	// Signer signs the domain's certificate.
	Signer Signer
	// Definitions are the gates of the CRDs. The controller's release waits for them, because the
	// controller looks for the existing kinds only once, when it starts.
	Definitions []pulumi.Resource
	// Certificates is the gate of cert-manager, for which the Certificate waits. Pool is the gate
	// of MetalLB's address pool, for which the gate of the load balancer's address waits.
	Certificates, Pool *Gate
}

// APISIX owns the ingress controller and the data plane that it configures: namespace, keys,
// releases, the Gateway with its class and certificate, and the access to the admin API.
type APISIX struct {
	pulumi.ResourceState
	// Plane is the Spec of the upstreams gates without its routes, which callers add. Key is the
	// read-only key of the data plane's admin API. Key is secret.
	Plane upstreams.Spec
	Key   pulumi.StringOutput
	// Values reruns the gates that test APISIX's routes when the user's values of its charts
	// change. Values is zero unless APISIXArgs.Full is true.
	Values Valued
	// Revision is a digest of both charts, the configuration and the user's values. The gates of
	// upstreams run again when it changes. Nil unless APISIXArgs.Full is true.
	Revision pulumi.StringInput
	// Webhook passes once every API server reaches the controller's webhook. Before that, API
	// servers refuse objects of APISIX's kinds.
	Webhook *Gate
	// Gateway passes once the Gateway is accepted, Rollout once every Pod is ready, and Address
	// once the load balancer's address answers. Nil unless APISIXArgs.Full is true.
	Gateway, Rollout, Address *Gate
	// IP is the load balancer's address. It is set only if HasIP is true: the configuration has the
	// address, or Address waits for it.
	IP    pulumi.StringOutput `pulumi:"ip"`
	HasIP bool
}

const (
	apisixNamespace  = "apisix"
	apisixName       = "apisix" // name of the data plane's release, the classes and the Gateway
	apisixController = "apisix-ingress-controller"
	apisixProxy      = "apisix-config"
	apisixKeys       = "apisix-admin"
	apisixTLS        = "apisix-tls"
	// apisixService is the data plane's Service, of type LoadBalancer.
	apisixService = "apisix-gateway"
)

// apisix holds the values that the steps of NewAPISIX share.
type apisix struct {
	*APISIX
	layer
	args              *APISIXArgs
	keys              *Object
	controller, plane release
	// proxy and gateway are the resources of the GatewayProxy and the Gateway. tls is the gate of
	// the domain's certificate; nil unless args.Full is true.
	proxy, tls, gateway pulumi.Resource
}

// NewAPISIX registers APISIX. Controller and data plane are two releases, and Pulumi does not wait
// until they are ready. The data plane is ready only after the controller has sent it a
// configuration. The controller has no configuration until a Gateway refers to a GatewayProxy. Both
// objects wait for the controller's webhook, which must admit them (docs/adr/0011).
func NewAPISIX(
	ctx *pulumi.Context, name string, args *APISIXArgs, opts ...pulumi.ResourceOption,
) (*APISIX, error) {
	a := &apisix{APISIX: &APISIX{Plane: apisixPlane()}, args: args}
	a.layer = layer{
		Layer: args.Layer, ctx: ctx, parent: a.APISIX, name: name, title: "apisix",
		space: apisixNamespace,
		// This policy is for the controller's Pods; the data plane's Pods get apisixPolicy.
		policy: layerPolicy{pods: nameLabel(apisixController), open: []int{8080, 9443}},
		limit:  args.Timeouts.APISIX, limitKey: "strata:timeouts.apisix",
	}
	steps := []func() error{a.adminKeys, a.installController, a.installPlane, a.certificate,
		a.classes, a.listen}
	if args.Full {
		steps = append(steps, a.gates)
	}
	return a.APISIX, a.register(tokenOf("apisix", "APISIX"), opts, append(steps, a.address)...)
}

// adminKeys registers the namespace and the Secret with generated keys for the admin API. They
// replace the chart's default keys, which are public.
func (a *apisix) adminKeys() error {
	if err := a.newNamespace(a.ownController(), nil, a.After...); err != nil {
		return err
	}
	data := object{}
	for _, role := range []string{"admin", "viewer"} {
		key, err := newPassword(a.ctx, a.name+"-"+role+"-key", 32, childOf(a)...)
		if err != nil {
			return err
		}
		data[role] = pulumi.ToSecret(key.Result)
		if role == "viewer" {
			a.Key = pulumi.ToSecret(key.Result).(pulumi.StringOutput)
		}
	}
	var err error
	a.keys, err = newSecret(a.ctx, a.args.Cluster, a.name+"-keys", secretArgs{
		name: apisixKeys, namespace: apisixNamespace, data: data,
	}, childOf(a, a.namespace)...)
	if err != nil {
		return fmt.Errorf("admin keys: %w", err)
	}
	return nil
}
