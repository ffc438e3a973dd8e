package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/statefulset"
	"strata/config"
	"strata/health"
	"strata/health/http"
)

// ArgoCDArgs configures ArgoCD.
type ArgoCDArgs struct {
	Layer
	// Config is the section strata:argocd, validated.
	Config config.ArgoCD
	// Values are the chart's values, if another resource computes them. Config.Values must then be
	// empty. Optional.
	Values pulumi.MapInput
	// Domain is the platform's DNS domain (strata:ingress.domain).
	Domain string
	// KeepCRDs leaves the chart's CRDs in the cluster when the release is deleted.
	KeepCRDs bool
	// CASecret is the Secret, as namespace/name, with the CA that signed the domain's certificate.
	CASecret string
	// Ingress are the gates of Traefik's Gateway and of its address. The route waits for them.
	Ingress []pulumi.Resource
	// IngressValues make the route's gate run again when the user's values of the ingress
	// controller's chart change.
	IngressValues Valued
}

// ArgoCD owns Argo CD: its namespace and release, which brings its CRDs, the passwords, and its
// route.
type ArgoCD struct {
	pulumi.ResourceState
	// Rollout passes once every Pod is of the newest revision and ready.
	Rollout *Gate
	// URL is the URL of the login page for user admin.
	URL string `pulumi:"url"`
	// AdminPassword is the generated password; nil if the configuration sets a hash. Secret.
	AdminPassword pulumi.StringOutput `pulumi:"adminPassword"`
	// Generated is true if AdminPassword was generated, and false if the configuration sets the
	// hash.
	Generated bool
}

const argocdNamespace = "argocd"

// argocd holds the values that the steps of NewArgoCD share.
type argocd struct {
	*ArgoCD
	layer
	args    *ArgoCDArgs
	host    string // host name of the server, in the platform's domain
	redis   *Object
	release release
}

// NewArgoCD registers Argo CD. The release needs an API server but no ingress controller. Only the
// route waits for the ingress controller (docs/adr/0008).
func NewArgoCD(
	ctx *pulumi.Context, name string, args *ArgoCDArgs, opts ...pulumi.ResourceOption,
) (*ArgoCD, error) {
	host := "argocd." + args.Domain
	a := &argocd{ArgoCD: &ArgoCD{URL: "https://" + host}, args: args, host: host}
	a.layer = layer{
		Layer: args.Layer, ctx: ctx, parent: a.ArgoCD, name: name, title: "argocd",
		space: argocdNamespace,
		// The ports of Redis, 6379, and of the repository server, 8081, stay closed to other
		// namespaces.
		policy: layerPolicy{
			pods: instanceLabel("argocd"), from: argocdNamespace,
			open: []int{5558, 7000, 8080, 8082, 8083, 8084, 8087, 9001, 9121},
		},
		limit: args.Timeouts.ArgoCD, limitKey: "strata:timeouts.argocd",
	}
	return a.ArgoCD, a.register(tokenOf("argocd", "ArgoCD"), opts, a.redisPassword, a.install,
		a.root, a.route)
}

// redisPassword registers the namespace and the Secret with Redis's password. The Secret must exist
// before the release, because no Pod of Argo CD starts without it. The chart's own hook, a Job that
// creates the Secret, is disabled.
func (a *argocd) redisPassword() error {
	if err := a.newNamespace(a.chartValues(), nil, a.After...); err != nil {
		return err
	}
	password, err := newPassword(a.ctx, a.name+"-redis-password", 32, childOf(a)...)
	if err != nil {
		return err
	}
	a.redis, err = newSecret(a.ctx, a.args.Cluster, a.name+"-redis", secretArgs{
		name: argocdRedis, namespace: argocdNamespace,
		data: object{"auth": pulumi.ToSecret(password.Result)},
	}, childOf(a, a.namespace)...)
	if err != nil {
		return fmt.Errorf("redis secret: %w", err)
	}
	return nil
}

func (a *argocd) chartValues() userValues {
	return a.userValues(config.ArtifactArgoCDChart, a.args.Config.Values, a.args.Values)
}

// install registers the release, and the gate of its rollout.
func (a *argocd) install() error {
	admin, err := a.admin()
	if err != nil {
		return err
	}
	a.release, err = a.newRelease(releaseArgs{
		name: "argocd", artifact: config.ArtifactArgoCDChart,
		values: argocdValues(a.host, admin, a.args.KeepCRDs), own: a.chartValues(),
	}, a.redis)
	if err != nil {
		return err
	}
	// The revision does not include other keys of strata:argocd, such as the password hash: they
	// cause no rollout and could be guessed from a digest.
	revision := a.release.revision(a.host)
	unblock, err := a.Cluster.unblock(a.ctx, a.name+"-unblock", statefulset.Input{
		Namespace: argocdNamespace, StatefulSet: argocdController, Timeout: a.Timeouts.ArgoCD,
	}, revision, childOf(a, a.release.object)...)
	if err != nil {
		return fmt.Errorf("unblock: %w", err)
	}
	a.Rollout, err = a.gate("rollout", gateArgs{Spec: health.Spec{
		Releases: []string{a.release.id}, Body: argocdRollout(),
	}, Revision: revision}, a.release.object, unblock)
	return err
}

// route registers the route to Argo CD, and the gate that sends requests through it. If the user
// has set values of a chart, the gate waits for that chart's rollout, so that no Pod with the
// earlier values answers.
func (a *argocd) route() error {
	route, err := a.object("route", customResource{
		apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", name: "argocd-server",
		namespace: argocdNamespace,
		wait:      routeWait(a.Timeouts.Ingress.Duration),
		spec:      httpRouteSpec(traefikName, []string{"https"}, a.host, "/", toService("argocd-server")),
	}, with(a.args.Ingress, a.release.object)...)
	if err != nil {
		return err
	}
	needs := with(a.args.IngressValues.Rolled, a.release.own.gateValues(a.Rollout).Rolled...)
	_, err = a.gate("server", gateArgs{Spec: health.Spec{
		Body: http.Spec{
			Namespace: traefikName, Service: traefikName, CASecret: a.args.CASecret,
			Probes: []http.Probe{
				{Name: "healthz", URL: a.URL + "/healthz?full=true", Status: []int{200}},
				{Name: "version", URL: a.URL + "/api/version", Status: []int{200},
					Contains: `"Version"`},
			},
		},
	}, Revision: a.args.IngressValues.joinRevision(a.release.revision())}, with(needs, route)...)
	return err
}
