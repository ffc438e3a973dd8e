package components

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health"
	"strata/health/gateway"
	"strata/health/http"
	"strata/health/metrics"
	"strata/health/rollout"
)

// ValidationArgs configures Validation.
type ValidationArgs struct {
	// APISIX and Demo are checked. Required.
	APISIX *APISIX
	Demo   *Demo
	// CASecret is the Secret, as namespace/name, with the CA that signed the domain's certificate.
	CASecret string
	// Cluster runs the applications. Required.
	Cluster *Cluster
	// Timeouts has the timeout of each gate (strata:timeouts.apps).
	Timeouts config.Timeouts
}

// Validation checks the demo at the end of an update. Its gates send requests from outside the
// cluster, as users do, and report the response times and the number of attempts. No resource
// depends on them.
type Validation struct {
	pulumi.ResourceState
}

// validation has the arguments of NewValidation.
type validation struct {
	*Validation
	ctx  *pulumi.Context
	name string
	args *ValidationArgs
}

// NewValidation registers the gates of the demo: its rollout, routes, upstreams, requests and
// metrics. Most run in parallel, each with its own timeout, while the demo's Pods still start.
func NewValidation(
	ctx *pulumi.Context, name string, args *ValidationArgs, opts ...pulumi.ResourceOption,
) (*Validation, error) {
	v := &validation{Validation: &Validation{}, ctx: ctx, name: name, args: args}
	if err := ctx.RegisterComponentResource(tokenOf("apps", "Validation"), name, v.Validation,
		opts...); err != nil {
		return nil, err
	}
	values := args.APISIX.Values
	needs := slices.Concat([]pulumi.Resource{args.APISIX.Gateway, args.APISIX.Address},
		values.Rolled, args.Demo.Objects)
	rollout, err := v.gate("rollout", gateArgs{Spec: health.Spec{
		Body: rollout.Spec{Workloads: args.Demo.Workloads},
	}}, args.Demo.Objects...)
	if err != nil {
		return nil, err
	}
	_, err = v.gate("routes", gateArgs{Spec: health.Spec{
		Body: gateway.Spec{
			Class: apisixName, Namespace: apisixNamespace, Name: apisixName,
			// The two expected routes are those of httpbin and Keycloak.
			Listeners: []string{"http", "https"}, Routes: map[string]int{"http": 2, "https": 2},
		},
	}, Revision: values.joinRevision(nil)}, with(values.Rolled, args.Demo.Objects...)...)
	if err != nil {
		return nil, err
	}
	plane := args.APISIX.Plane
	plane.Routes = args.Demo.Routes
	_, err = v.gate("upstreams", gateArgs{
		Spec:     health.Spec{Body: plane},
		Revision: args.APISIX.Revision,
		APIKey:   args.APISIX.Key,
	}, append([]pulumi.Resource{args.APISIX.Gateway, args.APISIX.Rollout, rollout},
		args.Demo.Objects...)...)
	if err != nil {
		return nil, err
	}
	probes, err := v.gate("probes", gateArgs{
		Spec: health.Spec{Body: v.probes()},
		BasicAuth: pulumi.ToSecret(pulumi.Sprintf("%s:%s", demoUser,
			args.Demo.Password)).(pulumi.StringOutput),
		APIKey:   args.Demo.Key,
		Revision: values.joinRevision(nil),
	}, needs...)
	if err != nil {
		return nil, err
	}
	// The gate of metrics waits for the probes, because a time series of requests exists only after
	// a request.
	_, err = v.gate("metrics", gateArgs{Spec: health.Spec{
		Body: metrics.Spec{
			Namespace: apisixNamespace, Service: "apisix-prometheus-metrics", Port: 9091,
			Path: "/apisix/prometheus/metrics",
			Series: []string{"apisix_http_status", "apisix_http_latency_bucket", "apisix_bandwidth",
				"apisix_nginx_http_current_connections"},
		},
	}}, probes)
	if err != nil {
		return nil, err
	}
	return v.Validation, registerOutputs(ctx, v.Validation)
}

func (v *validation) gate(role string, args gateArgs, needs ...pulumi.Resource) (*Gate, error) {
	args.Spec.Layer = "validation"
	args.Spec.Timeout = v.args.Timeouts.Apps
	args.Spec.TimeoutKey = "strata:timeouts.apps"
	gate, err := v.args.Cluster.gate(v.ctx, v.name+"-"+role, args, childOf(v, needs...)...)
	if err != nil {
		return nil, fmt.Errorf("validation: %s: %w", role, err)
	}
	return gate, nil
}

// probes returns the Spec of the gate that makes the requests of the demo's users.
func (v *validation) probes() http.Spec {
	urls := v.args.Demo.URLs
	items := urls["api"] + "/api/v1/items"
	return http.Spec{
		Namespace: apisixNamespace, Service: apisixService, CASecret: v.args.CASecret,
		Probes: []http.Probe{
			{Name: "httpbin", URL: urls["httpbin"] + "/get", Status: []int{200}, Contains: `"url"`},
			{Name: "httpbin without TLS", URL: "http" + urls["httpbin"][len("https"):] + "/get",
				Status: []int{200}, Contains: `"url"`},
			{Name: "REST without a key", URL: items, Status: []int{401}},
			{Name: "REST with the key", URL: items, Status: []int{200}, KeyHeader: "apikey"},
			{Name: "redirect to the login", URL: urls["oidc"] + "/get",
				RedirectPrefix: urls["keycloak"] + "/realms/demo/protocol/openid-connect/auth?"},
			{Name: "login", URL: urls["oidc"] + "/get", Status: []int{200}, Contains: `"url"`,
				Login: true},
		},
	}
}
