package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/statefulset"
	"strata/artifacts"
	"strata/config"
	"strata/health"
	"strata/health/http"
)

// ArgoCDArgs configures ArgoCD.
type ArgoCDArgs struct {
	// Config is the section strata:argocd, validated.
	Config config.ArgoCD
	// Domain is the platform's DNS domain (strata:ingress.domain).
	Domain string
	// KeepCRDs leaves the chart's CRDs in the cluster when the release goes.
	KeepCRDs bool
	// Cluster takes Argo CD. Required.
	Cluster *Cluster
	// CASecret holds the CA that signed the domain's certificate, as namespace/name.
	CASecret string
	// Artifacts has the chart.
	Artifacts *artifacts.Set
	// Timeouts bound the gates.
	Timeouts config.Timeouts
	// After are the gates that the release waits for.
	After []pulumi.Resource
	// Ingress are the gates that its route waits for: a programmed Gateway, and an address that
	// answers.
	Ingress []pulumi.Resource
	// IngressValues are the user's of the ingress controller: with others, the way in is taken
	// again.
	IngressValues Valued
}

// ArgoCD owns Argo CD: its namespace and release, which brings its CRDs, the passwords, and its
// route.
type ArgoCD struct {
	pulumi.ResourceState
	// Rollout holds once every Pod is of the newest revision and serves.
	Rollout *Gate
	// URL leads to the login page of user admin.
	URL string
	// AdminPassword is the generated one; nil where the configuration sets a hash. Secret.
	AdminPassword pulumi.StringOutput
	// Generated is false where the configuration sets the password's hash.
	Generated bool
}

const argocdNamespace = "argocd"

// argocd holds the state that the constructor's steps share.
type argocd struct {
	*ArgoCD
	ctx       *pulumi.Context
	name      string
	args      *ArgoCDArgs
	host      string // where it answers, below the platform's domain
	namespace *Object
	redis     *Object
	own       ownValues
	release   *Object
}

// NewArgoCD registers Argo CD. The release needs an API server and no ingress; only the route waits
// for that (docs/adr/0008).
func NewArgoCD(ctx *pulumi.Context, name string, args *ArgoCDArgs, opts ...pulumi.ResourceOption) (*ArgoCD, error) {
	host := "argocd." + args.Domain
	a := &argocd{ArgoCD: &ArgoCD{URL: "https://" + host}, ctx: ctx, name: name, args: args, host: host}
	if err := ctx.RegisterComponentResource("strata:argocd:ArgoCD", name, a.ArgoCD, opts...); err != nil {
		return nil, err
	}
	for _, step := range []func() error{a.redisPassword, a.install, a.root, a.route} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("argocd: %w", err)
		}
	}
	return a.ArgoCD, ctx.RegisterResourceOutputs(a.ArgoCD, pulumi.Map{})
}

// redisPassword registers the namespace and the Secret that every Pod of Argo CD reads. It must be
// there before the release: the chart's own way is a hook that runs a Job, and Pods without the
// Secret do not start.
func (a *argocd) redisPassword() error {
	var err error
	if a.namespace, err = newLayerNamespace(a.ctx, a.args.Cluster, a.name, argocdNamespace, a.args.Config.Values, nil,
		childOf(a, a.args.After...)...); err != nil {
		return fmt.Errorf("namespace: %w", err)
	}
	password, err := newPassword(a.ctx, a.name+"-redis-password", 32, childOf(a)...)
	if err != nil {
		return err
	}
	a.redis, err = newSecret(a.ctx, a.args.Cluster, a.name+"-redis", secretArgs{
		name: argocdRedis, namespace: argocdNamespace, data: pulumi.Map{"auth": pulumi.ToSecret(password.Result)},
	}, childOf(a, a.namespace)...)
	if err != nil {
		return fmt.Errorf("redis secret: %w", err)
	}
	return nil
}

// install registers the release.
func (a *argocd) install() error {
	chart, err := a.args.Artifacts.One(config.ArtifactArgoCDChart)
	if err != nil {
		return err
	}
	admin, err := a.admin()
	if err != nil {
		return err
	}
	if a.own, err = newOwnValues(a.ctx, a.name, a.args.Config.Values, childOf(a, a.redis)...); err != nil {
		return err
	}
	a.release, err = newRelease(a.ctx, a.args.Cluster, a.name+"-release", releaseArgs{
		name: "argocd", namespace: argocdNamespace, chart: chart.Path, values: argocdValues(a.host, admin, a.args.KeepCRDs), own: a.own.Values,
	}, childOf(a, a.redis)...)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	// Not the whole section: it holds a password and a hash, and no Pod is rolled out for those.
	revision := a.own.revision(digestOf(chart.SHA256, a.host))
	unblock, err := a.args.Cluster.unblock(a.ctx, a.name+"-unblock", statefulset.Input{
		Namespace: argocdNamespace, StatefulSet: argocdController, Timeout: a.args.Timeouts.ArgoCD,
	}, revision, childOf(a, a.release)...)
	if err != nil {
		return fmt.Errorf("unblock: %w", err)
	}
	a.Rollout, err = a.args.Cluster.gate(a.ctx, a.name+"-rollout", GateArgs{Spec: health.Spec{
		Layer: "argocd", Timeout: a.args.Timeouts.ArgoCD, TimeoutKey: "strata:timeouts.argocd",
		Releases: []string{argocdNamespace + "/argocd"}, Body: argocdRollout(),
	}, Revision: revision}, childOf(a, unblock)...)
	if err != nil {
		return fmt.Errorf("gate rollout: %w", err)
	}
	return nil
}

// route registers the way in, and the gate that takes it: after the rollouts of those whose values
// are the user's, so that no Pod of the values before answers.
func (a *argocd) route() error {
	route, err := newCustomResource(a.ctx, a.args.Cluster, a.name+"-route", customResource{
		apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", name: "argocd-server", namespace: argocdNamespace,
		wait: routeWait(a.args.Timeouts.Ingress.Duration), spec: argocdRoute(a.host),
	}, childOf(a, with(a.args.Ingress, a.release)...)...)
	if err != nil {
		return fmt.Errorf("route: %w", err)
	}
	needs := with(a.args.IngressValues.Rolled, a.own.valued(a.Rollout).Rolled...)
	_, err = a.args.Cluster.gate(a.ctx, a.name+"-server", GateArgs{Spec: health.Spec{
		Layer: "argocd", Timeout: a.args.Timeouts.ArgoCD, TimeoutKey: "strata:timeouts.argocd",
		Body: http.Spec{
			Namespace: traefikName, Service: traefikName, CASecret: a.args.CASecret,
			Probes: []http.Probe{
				{Name: "healthz", URL: a.URL + "/healthz?full=true", Status: []int{200}},
				{Name: "version", URL: a.URL + "/api/version", Status: []int{200}, Contains: `"Version"`},
			},
		},
	}, Revision: a.args.IngressValues.after(a.own.revision(a.args.Artifacts.Digest(config.ArtifactArgoCDChart)))}, childOf(a, with(needs, route)...)...)
	if err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	return nil
}
