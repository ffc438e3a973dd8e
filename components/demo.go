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
	// Admitted has the gates that a route waits for: those of the server and the webhook of its
	// kind.
	Admitted []pulumi.Resource
}

// Demo owns applications behind APISIX, each behind its own kind of route. httpbin is behind an
// HTTPRoute, and again behind a login at Keycloak. Keycloak is the second application. The third is
// a REST API behind an ApisixRoute, which requires a key.
type Demo struct {
	pulumi.ResourceState
	// URLs lead to its applications, by name.
	URLs map[string]string `pulumi:"urls"`
	// Workloads name the workloads that run it, as namespace/kind/name.
	Workloads []string
	// Routes are the routes that lead to them.
	Routes []upstreams.RouteRef
	// Objects are all objects that validation observes.
	Objects []pulumi.Resource
	// Key gives access to the REST API. Password is the password of user demo. Both are secret.
	Key      pulumi.StringOutput `pulumi:"key"`
	Password pulumi.StringOutput `pulumi:"password"`
}

const (
	demoNamespace = "demo"
	demoUser      = "demo"
	demoClient    = "httpbin" // OpenID Connect's, of the routes that ask for a login
	// demoLogin is the plugin's: it takes over every key of it. keycloakSecret holds the realm that
	// Keycloak imports.
	demoLogin, keycloakSecret, demoKeySecret = "demo-login", "keycloak", "go-rest-key"
)

// demo holds the state that the constructor's steps share.
type demo struct {
	*Demo
	ctx       *pulumi.Context
	name      string
	args      *DemoArgs
	namespace *Object
	// loginSecret has the configuration of the login's plugin.
	loginSecret *Object
}

// NewDemo registers the demo. Its objects do not wait for a Gateway, a certificate or an
// application: a controller reconciles an object again when the objects that it names appear. Only
// objects that a webhook admits wait for that webhook. An ApisixRoute also waits for its plugin
// configuration and for the Secret of that: the webhook refuses the route without them.
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

// secrets registers the secrets of the login and the key.
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
		data       pulumi.Map
	}{
		{"login", demoLogin, pulumi.Map{"client_secret": made["client"],
			"session.secret": made["session"]}},
		{"keycloak-secret", keycloakSecret,
			pulumi.Map{"user": made["password"], "admin": made["admin"], "client": made["client"]}},
		{"rest-key", demoKeySecret, pulumi.Map{"key": made["key"]}},
	} {
		object, err := newSecret(d.ctx, d.args.Cluster, d.name+"-"+secret.role, secretArgs{
			name: secret.name, namespace: demoNamespace, data: secret.data,
		}, childOf(d, d.namespace)...)
		if err != nil {
			return fmt.Errorf("secret %s: %w", secret.name, err)
		}
		if secret.name == demoLogin {
			d.loginSecret = object
		}
	}
	return nil
}

// httpbin registers httpbin, and its route by the Gateway API.
func (d *demo) httpbin() error {
	err := d.serve(workload{name: "httpbin", image: httpbinImage, port: 8080, ready: "/status/200"})
	if err != nil {
		return err
	}
	_, err = d.registerCustomResource("httpbin-route", "gateway.networking.k8s.io/v1", "HTTPRoute", "httpbin",
		demoHTTPRoute("httpbin."+d.args.Domain, "httpbin"))
	return err
}

// rest registers the REST API, its consumer, and its route as an ApisixRoute.
func (d *demo) rest() error {
	if err := d.serve(workload{name: "go-rest", image: d.args.Config.RestImage, port: 8080,
		ready: "/healthz"}); err != nil {
		return err
	}
	if _, err := d.registerCustomResource("rest-consumer", "apisix.apache.org/v1alpha1", "Consumer", "go-rest",
		demoConsumer()); err != nil {
		return err
	}
	keyAuth := demoPlugins("key-auth", pulumi.Map{"hide_credentials": pulumi.Bool(true)}, "")
	plugins, err := d.registerCustomResource("rest-plugins", "apisix.apache.org/v2", "ApisixPluginConfig",
		"key-auth", keyAuth)
	if err != nil {
		return err
	}
	_, err = d.registerCustomResource("rest-route", "apisix.apache.org/v2", "ApisixRoute", "go-rest",
		demoApisixRoute("go-rest", "api."+d.args.Domain, "key-auth"), plugins)
	return err
}

// registerCustomResource registers an object whose kind must be served and admitted first. needs
// are the objects that it names; without them the webhook refuses it. A route is a leaf: its name
// is recorded for the gate of upstreams.
func (d *demo) registerCustomResource(
	role, apiVersion, kind, name string, spec pulumi.Map, needs ...pulumi.Resource,
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
