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
	// Values and ControllerValues are values of the two charts. They replace those of Config if
	// another resource computes them. Optional.
	Values, ControllerValues pulumi.MapInput
	// Domain is the platform's DNS domain (strata:ingress.domain).
	Domain string
	// PodNetwork limits the admin API to clients of this network. The network policy limits it to
	// certain Pods.
	PodNetwork netip.Prefix
	// Full also registers the gates that nothing depends on (strata:apps.validate).
	Full bool
	// Signer signs the domain's certificate.
	Signer Signer
	// Definitions are the gates that the controller waits for, because it lists the existing kinds
	// only once, at its start.
	Definitions []pulumi.Resource
	// Certificates is the gate that a Certificate waits for. Pool is the gate that the load
	// balancer's address waits for.
	Certificates, Pool *Gate
}

// APISIX owns the ingress controller and the data plane that it configures: namespace, keys,
// releases, the Gateway with its class and certificate, and the access to the admin API.
type APISIX struct {
	pulumi.ResourceState
	// Plane configures the observations of the upstreams gates, without routes. Its Key can only
	// read the data plane. Secret.
	Plane upstreams.Spec
	Key   pulumi.StringOutput
	// Values tell gates behind APISIX about the user's values of its charts. Zero unless Full.
	Values Valued
	// Revision changes with the configuration of APISIX. Nil unless Full.
	Revision pulumi.StringInput
	// Webhook passes once the controller's webhook serves through every API server. Objects of its
	// kinds are not admitted before.
	Webhook *Gate
	// Gateway, Rollout and Address hold once the Gateway is accepted, every Pod serves, and the
	// address answers. Nil unless Full.
	Gateway, Rollout, Address *Gate
	// IP is the load balancer's address. It is known only if the configuration sets it or the
	// address is waited for (HasIP).
	IP    pulumi.StringOutput `pulumi:"ip"`
	HasIP bool
}

const (
	apisixNamespace  = "apisix"
	apisixName       = "apisix" // of the data plane's release, the classes and the Gateway
	apisixController = "apisix-ingress-controller"
	apisixProxy      = "apisix-config"
	apisixKeys       = "apisix-admin"
	apisixTLS        = "apisix-tls"
	// apisixService is the data plane's Service, of type LoadBalancer.
	apisixService = "apisix-gateway"
)

// apisix holds the state that the constructor's steps share.
type apisix struct {
	*APISIX
	layer
	args              *APISIXArgs
	keys              *Object
	controller, plane release
	// tls is the certificate's gate; nil unless Full.
	proxy, tls, gateway pulumi.Resource
}

// NewAPISIX registers APISIX. Controller and data plane are two releases, and neither waits until
// it is ready. The data plane is not ready before it has a configuration. The controller has none
// before a Gateway names a GatewayProxy. The controller's webhook must serve before either object
// is admitted. Only this last wait is a dependency; the other two states heal by themselves
// (docs/adr/0011).
func NewAPISIX(
	ctx *pulumi.Context, name string, args *APISIXArgs, opts ...pulumi.ResourceOption,
) (*APISIX, error) {
	a := &apisix{APISIX: &APISIX{Plane: apisixPlane()}, args: args}
	a.layer = layer{
		Layer: args.Layer, ctx: ctx, parent: a.APISIX, name: name, title: "apisix",
		space: apisixNamespace,
		// The data plane has a policy of its own (apisixPolicy).
		policy: layerPolicy{pods: apisixLabels(apisixController), open: []int{8080, 9443}},
		limit:  args.Timeouts.APISIX, limitKey: "strata:timeouts.apisix",
	}
	steps := []func() error{a.adminKeys, a.installController, a.installPlane, a.certificate,
		a.classes, a.listen}
	if args.Full {
		steps = append(steps, a.gates)
	}
	return a.APISIX, a.register(tokenOf("apisix", "APISIX"), opts, append(steps, a.address)...)
}

// adminKeys registers the namespace, and generated keys for the admin API. The chart's default keys
// are public.
func (a *apisix) adminKeys() error {
	if err := a.newNamespace(a.ownController(), nil, a.After...); err != nil {
		return err
	}
	data := pulumi.Map{}
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
