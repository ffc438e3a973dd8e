package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/kuberead"
	"strata/config"
	"strata/health"
	"strata/health/address"
	"strata/health/gateway"
	"strata/health/rollout"
)

// installController registers the controller's release and the gate of its webhook. It waits for
// the CRDs: a controller does not watch a kind that is missing at its start until it is restarted,
// and its Pod is Ready all the while (apisix-ingress-controller internal/manager/controllers.go:
// HasAPIResource).
func (a *apisix) installController() error {
	chart, err := a.args.Artifacts.One(config.ArtifactAPISIXControllerChart)
	if err != nil {
		return err
	}
	needs := childOf(a, with(a.args.Definitions, a.namespace)...)
	if a.ownController, err = newOwnValues(a.ctx, a.name+"-controller", a.args.Config.ControllerValues, needs...); err != nil {
		return err
	}
	a.controller, err = newRelease(a.ctx, a.args.Cluster, a.name+"-controller-release", releaseArgs{
		name: apisixController, namespace: apisixNamespace, chart: chart.Path, values: apisixControllerValues(), own: a.ownController.Values,
		skipCRDs: true,
	}, needs...)
	if err != nil {
		return fmt.Errorf("controller release: %w", err)
	}
	a.Webhook, err = a.gate("webhook", apisixWebhook(), a.ownController.revision(chart.SHA256), a.controller)
	return err
}

// installPlane registers the data plane's release and who may reach it. It does not wait for the
// address pool: MetalLB gives a Service its address when the pool comes, and the gate of the
// address waits for both.
func (a *apisix) installPlane() error {
	chart, err := a.args.Artifacts.One(config.ArtifactAPISIXChart)
	if err != nil {
		return err
	}
	needs := childOf(a, a.keys) // its Pods do not start without the Secret
	if a.own, err = newOwnValues(a.ctx, a.name, a.args.Config.Values, needs...); err != nil {
		return err
	}
	a.plane, err = newRelease(a.ctx, a.args.Cluster, a.name+"-release", releaseArgs{
		name: apisixName, namespace: apisixNamespace, chart: chart.Path, values: apisixValues(a.args.Config, a.args.PodNetwork), own: a.own.Values,
	}, needs...)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return newNetworkPolicy(a.ctx, a.args.Cluster, a.name+"-admin-policy", apisixNamespace, apisixName, apisixPolicy(),
		childOf(a, a.namespace)...)
}

// gate registers one of APISIX's gates.
func (a *apisix) gate(
	role string, spec health.Spec, revision pulumi.StringInput, needs ...pulumi.Resource,
) (*Gate, error) {
	spec.Layer, spec.Timeout, spec.TimeoutKey = "apisix", a.args.Timeouts.APISIX, "strata:timeouts.apisix"
	gate, err := a.args.Cluster.gate(a.ctx, a.name+"-"+role, GateArgs{Spec: spec, Revision: revision}, childOf(a, needs...)...)
	if err != nil {
		return nil, fmt.Errorf("gate %s: %w", role, err)
	}
	return gate, nil
}

// gates registers the gates of APISIX that nothing else here waits for.
func (a *apisix) gates() error {
	chart := a.args.Artifacts.Digest(config.ArtifactAPISIXChart)
	a.Revision = a.revision(digestOf(chart, a.args.Artifacts.Digest(config.ArtifactAPISIXControllerChart), a.args.Config))
	var err error
	a.Rollout, err = a.gate("rollout", health.Spec{
		Releases: []string{apisixNamespace + "/" + apisixController, apisixNamespace + "/" + apisixName},
		Body: rollout.Spec{Workloads: []string{
			apisixNamespace + "/Deployment/" + apisixController, apisixNamespace + "/Deployment/" + apisixName,
		}},
	}, a.Revision, a.plane, a.gateway) // without the Gateway the data plane stays unready
	if err != nil {
		return err
	}
	a.Values = a.valued()
	a.Gateway, err = a.gate("gateway-gate", health.Spec{
		Body: gateway.Spec{Class: apisixName, Namespace: apisixNamespace, Name: apisixName, Listeners: []string{"http", "https"}},
	}, a.Values.after(pulumi.String("")), with(a.Values.Rolled, a.gateway, a.tls)...)
	if err != nil {
		return err
	}
	a.Address, err = a.gate("address", health.Spec{
		Body: address.Spec{Namespace: apisixNamespace, Service: apisixService, Ports: []int{80, 443}, Want: apisixAddress(a.args.Config)},
	}, a.own.revision(addressRevision(chart, a.args.Config.ExternalTrafficPolicy)), a.plane, a.gateway, a.args.Pool)
	return err
}

// revision is of both releases.
func (a *apisix) revision(ours string) pulumi.StringInput {
	switch {
	case a.ownController.Tree == nil:
		return a.own.revision(ours)
	case a.own.Tree == nil:
		return a.ownController.revision(ours)
	}
	return pulumi.Sprintf("%s %s", a.own.revision(ours), a.ownController.revision(ours))
}

// valued are the user's values of both releases for gates behind the rollout of both.
func (a *apisix) valued() Valued {
	if a.own.Tree == nil && a.ownController.Tree == nil {
		return Valued{}
	}
	return Valued{Revision: a.revision(""), Rolled: []pulumi.Resource{a.Rollout}}
}

// address is the load balancer's address, where it is known.
func (a *apisix) address() error {
	want := apisixAddress(a.args.Config)
	switch {
	case want != "":
		a.IP, a.HasIP = pulumi.String(want).ToStringOutput(), true
	case a.args.Full:
		var err error
		a.HasIP = true
		a.IP, err = a.args.Cluster.read(a.ctx, a.name+"-ip", kuberead.FieldInput{
			Resource: "services", Namespace: apisixNamespace, Name: apisixService, Path: "{.status.loadBalancer.ingress[0].ip}",
			Revision: a.args.Artifacts.Digest(config.ArtifactAPISIXChart), Timeout: a.args.Timeouts.APISIX,
		}, childOf(a, a.Address)...)
		return err
	}
	return nil
}
