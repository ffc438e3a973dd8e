package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health/upstreams"
)

// DemoArgs configures Demo.
type DemoArgs struct {
	Layer
	// Config is the section strata:apps, validated.
	Config config.Apps
	// Domain is the platform's DNS domain (strata:ingress.domain).
	Domain string
	// Admitted has the gates that routes wait for: one passes once the API servers serve the
	// route's kind, the other once the route's admission webhook works.
	Admitted []pulumi.Resource
}

// Demo owns three demo applications behind APISIX: httpbin, Keycloak and a REST API. httpbin has an
// HTTPRoute and, under a second host name, an ApisixRoute that requires a login at Keycloak.
// Keycloak has an HTTPRoute, and the REST API has an ApisixRoute that requires an API key.
type Demo struct {
	pulumi.ResourceState
	// URLs are the URLs of the applications: httpbin, keycloak, oidc (httpbin with a login) and
	// api.
	URLs map[string]string `pulumi:"urls"`
	// Workloads are the applications' workloads, as namespace/kind/name.
	Workloads []string
	// Routes are the HTTPRoutes and ApisixRoutes of the demo.
	Routes []upstreams.RouteRef
	// Objects are the demo's Kubernetes objects. The gates of Validation wait for them.
	Objects []pulumi.Resource
	// Key is the API key of the REST API. Password is the password of user demo. Both are secret.
	Key      pulumi.StringOutput `pulumi:"key"`
	Password pulumi.StringOutput `pulumi:"password"`
}

const (
	demoNamespace = "demo"
	demoUser      = "demo"
	demoClient    = "httpbin" // OpenID Connect client of the route with a login
	// demoLogin is the Secret whose keys are added to the configuration of the openid-connect
	// plugin. keycloakSecret has the passwords and the client secret for Keycloak and its realm.
	// demoKeySecret has the API key.
	demoLogin, keycloakSecret, demoKeySecret = "demo-login", "keycloak", "go-rest-key"
)

// demo holds the values that the steps of NewDemo share.
type demo struct {
	*Demo
	ctx       *pulumi.Context
	name      string
	args      *DemoArgs
	namespace *Object
	// loginSecret is the Secret demoLogin.
	loginSecret *Object
}

// NewDemo registers the demo. Its objects do not wait for a Gateway, a certificate or an
// application, because controllers reconcile an object again when the objects that it refers to are
// created. Objects with an admission webhook wait for the webhook. An ApisixRoute also waits for
// its ApisixPluginConfig, which waits for its Secret, because the webhook refuses a route without
// them.
func NewDemo(
	ctx *pulumi.Context, name string, args *DemoArgs, opts ...pulumi.ResourceOption,
) (*Demo, error) {
	d := &demo{Demo: &Demo{URLs: map[string]string{}}, ctx: ctx, name: name, args: args}
	for _, app := range []string{"httpbin", "keycloak", "oidc", "api"} {
		d.URLs[app] = "https://" + app + "." + args.Domain
	}
	if err := ctx.RegisterComponentResource(tokenOf("apps", "Demo"), name, d.Demo,
		opts...); err != nil {
		return nil, err
	}
	var err error
	if d.namespace, err = newNamespace(ctx, args.Cluster, name+"-namespace", demoNamespace, nil,
		childOf(d, args.After...)...); err != nil {
		return nil, fmt.Errorf("demo: namespace: %w", err)
	}
	for _, step := range []func() error{d.secrets, d.httpbin, d.keycloak, d.login, d.rest} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
	}
	return d.Demo, registerOutputs(ctx, d.Demo)
}

// secrets registers the generated passwords and keys, and the Secrets that have them.
func (d *demo) secrets() error {
	made := map[string]pulumi.StringOutput{}
	for _, what := range []string{"password", "key", "client", "session", "admin"} {
		secret, err := newPassword(d.ctx, d.name+"-"+what, 32, childOf(d)...)
		if err != nil {
			return err
		}
		made[what] = pulumi.ToSecret(secret.Result).(pulumi.StringOutput)
	}
	d.Password, d.Key = made["password"], made["key"]
	for _, secret := range []struct {
		role, name string
		data       object
	}{
		{"login", demoLogin, object{"client_secret": made["client"],
			"session.secret": made["session"]}},
		{"keycloak-secret", keycloakSecret,
			object{"user": made["password"], "admin": made["admin"], "client": made["client"]}},
		{"rest-key", demoKeySecret, object{"key": made["key"]}},
	} {
		registered, err := newSecret(d.ctx, d.args.Cluster, d.name+"-"+secret.role, secretArgs{
			name: secret.name, namespace: demoNamespace, data: secret.data,
		}, childOf(d, d.namespace)...)
		if err != nil {
			return fmt.Errorf("secret %s: %w", secret.name, err)
		}
		if secret.name == demoLogin {
			d.loginSecret = registered
		}
	}
	return nil
}

// httpbin registers httpbin and its HTTPRoute.
func (d *demo) httpbin() error {
	err := d.serve(workload{name: "httpbin", image: httpbinImage, port: 8080, ready: "/status/200"})
	if err != nil {
		return err
	}
	_, err = d.registerCustomResource("httpbin-route", "gateway.networking.k8s.io/v1", "HTTPRoute", "httpbin",
		demoHTTPRoute("httpbin."+d.args.Domain, "httpbin"))
	return err
}

// rest registers the REST API, its Consumer and its ApisixRoute, which requires an API key.
func (d *demo) rest() error {
	if err := d.serve(workload{name: "go-rest", image: d.args.Config.RestImage, port: 8080,
		ready: "/healthz"}); err != nil {
		return err
	}
	if _, err := d.registerCustomResource("rest-consumer", "apisix.apache.org/v1alpha1", "Consumer", "go-rest",
		demoConsumer()); err != nil {
		return err
	}
	keyAuth := demoPlugins("key-auth", object{"hide_credentials": true}, "")
	plugins, err := d.registerCustomResource("rest-plugins", "apisix.apache.org/v2", "ApisixPluginConfig",
		"key-auth", keyAuth)
	if err != nil {
		return err
	}
	_, err = d.registerCustomResource("rest-route", "apisix.apache.org/v2", "ApisixRoute", "go-rest",
		demoApisixRoute("go-rest", "api."+d.args.Domain, "key-auth"), plugins)
	return err
}

// registerCustomResource registers a custom resource once its kind is served and its webhook works.
// needs are the objects that it refers to, without which the webhook refuses it. HTTPRoutes and
// ApisixRoutes are also added to Demo.Routes.
func (d *demo) registerCustomResource(
	role, apiVersion, kind, name string, spec object, needs ...pulumi.Resource,
) (pulumi.Resource, error) {
	made, err := newCustomResource(d.ctx, d.args.Cluster, d.name+"-"+role, customResource{
		apiVersion: apiVersion, kind: kind, name: name, namespace: demoNamespace, spec: spec,
	}, childOf(d, with(d.args.Admitted, append(needs, d.namespace)...)...)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	d.Objects = append(d.Objects, made)
	if kind == config.RouteHTTP || kind == config.RouteApisix {
		d.Routes = append(d.Routes, upstreams.RouteRef{Kind: kind, Namespace: demoNamespace,
			Name: name})
	}
	return made, nil
}
