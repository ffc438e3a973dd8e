package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/kuberead"
	"strata/config"
	"strata/health"
	"strata/health/address"
	"strata/health/gateway"
	"strata/health/rollout"
)

// installController registers the controller's release and the gate of its webhook. The release
// waits for the CRDs: a controller that starts before a kind is served does not watch this kind
// until it is restarted, although its Pod is Ready (apisix-ingress-controller
// internal/manager/controllers.go: HasAPIResource).
func (a *apisix) installController() (err error) {
	a.controller, err = a.newRelease(releaseArgs{
		role: "-controller", name: apisixController, artifact: config.ArtifactAPISIXControllerChart,
		values: apisixControllerValues(), own: a.ownController(), skipCRDs: true,
	}, with(a.args.Definitions, a.namespace)...)
	if err != nil {
		return err
	}
	a.Webhook, err = a.gate("webhook", gateArgs{Spec: apisixWebhook(),
		Revision: a.controller.revision()}, a.controller.object)
	return err
}

// ownController returns the user's values of the controller's chart.
func (a *apisix) ownController() userValues {
	return a.userValues(config.ArtifactAPISIXControllerChart, a.args.Config.ControllerValues,
		a.args.ControllerValues)
}

// installPlane registers the data plane's release and its network policy. The release does not wait
// for the address pool, because MetalLB assigns the Service's address as soon as the pool exists.
// The address gate waits for both.
func (a *apisix) installPlane() (err error) {
	a.plane, err = a.newRelease(releaseArgs{
		name: apisixName, artifact: config.ArtifactAPISIXChart,
		values: apisixValues(a.args.Config, a.args.PodNetwork),
		own:    a.userValues(config.ArtifactAPISIXChart, a.args.Config.Values, a.args.Values),
	}, a.keys) // its Pods do not start without the Secret
	if err != nil || !a.Cluster.NetworkPolicies {
		return err
	}
	return newNetworkPolicy(a.ctx, a.Cluster, a.name+"-admin-policy", apisixNamespace, apisixName,
		inputsOf(apisixPolicy()),
		childOf(a, a.namespace)...)
}

// gates registers the gates on which no resource of this component depends. It is called only if
// Full is set.
func (a *apisix) gates() (err error) {
	a.Revision = a.revision(digestOf(a.plane.chart.SHA256, a.controller.chart.SHA256,
		a.args.Config))
	a.Rollout, err = a.gate("rollout", gateArgs{Spec: health.Spec{
		Releases: []string{a.controller.id, a.plane.id},
		Body: rollout.Spec{Workloads: []string{
			apisixNamespace + "/Deployment/" + apisixController,
			apisixNamespace + "/Deployment/" + apisixName,
		}},
		// The data plane's Pods are not ready before the Gateway exists, so the gate waits for it.
	}, Revision: a.Revision}, a.plane.object, a.gateway)
	if err != nil {
		return err
	}
	a.Values = a.gateValues()
	a.Gateway, err = a.gate("gateway-gate", gateArgs{Spec: health.Spec{
		Body: gateway.Spec{Class: apisixName, Namespace: apisixNamespace, Name: apisixName,
			Listeners: []string{"http", "https"}},
	}, Revision: a.Values.joinRevision(pulumi.String(""))}, with(a.Values.Rolled, a.gateway, a.tls)...)
	if err != nil {
		return err
	}
	a.Address, err = a.gate("address", gateArgs{Spec: health.Spec{
		Body: address.Spec{Namespace: apisixNamespace, Service: apisixService,
			Ports: []int{80, 443}, Want: apisixAddress(a.args.Config)},
	}, Revision: a.plane.revision(a.args.Config.ExternalTrafficPolicy)}, a.plane.object,
		a.gateway, a.args.Pool)
	return err
}

// revision returns the text ours joined with the revisions of the user's values of both charts. A
// chart without such values adds nothing.
func (a *apisix) revision(ours string) pulumi.StringInput {
	switch {
	case !a.controller.own.isSet():
		return a.plane.own.revision(ours)
	case !a.plane.own.isSet():
		return a.controller.own.revision(ours)
	}
	return pulumi.Sprintf("%s %s", a.plane.own.revision(ours), a.controller.own.revision(ours))
}

// gateValues returns the Valued for gates that request routes of APISIX: they wait for the rollout
// and run again when the user's values of either chart change. Zero if the user has set no values.
func (a *apisix) gateValues() Valued {
	if !a.plane.own.isSet() && !a.controller.own.isSet() {
		return Valued{}
	}
	return Valued{Revision: a.revision(""), Rolled: []pulumi.Resource{a.Rollout}}
}

// address sets IP and HasIP from the configuration or, with Full, from the Service's status.
func (a *apisix) address() error {
	want := apisixAddress(a.args.Config)
	switch {
	case want != "":
		a.IP, a.HasIP = pulumi.String(want).ToStringOutput(), true
	case a.args.Full:
		var err error
		a.HasIP = true
		a.IP, err = a.args.Cluster.read(a.ctx, a.name+"-ip", kuberead.FieldInput{
			Resource: "services", Namespace: apisixNamespace, Name: apisixService,
			Path:     "{.status.loadBalancer.ingress[0].ip}",
			Revision: a.plane.chart.SHA256, Timeout: a.args.Timeouts.APISIX,
		}, childOf(a, a.Address)...)
		return err
	}
	return nil
}
