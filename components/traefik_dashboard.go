package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
	"strata/health/http"
)

const (
	dashboardUser   = "admin"
	dashboardSecret = "traefik-dashboard-users"
)

// dashboard registers the dashboard's route, protected by a generated password, and the gate that
// sends requests with and without the password.
func (t *traefik) dashboard() error {
	password, err := newPassword(t.ctx, t.name+"-dashboard-password", 32, childOf(t)...)
	if err != nil {
		return err
	}
	host := "traefik." + t.args.Domain
	t.DashboardURL = "https://" + host + "/dashboard/"
	t.DashboardPassword = pulumi.ToSecret(password.Result).(pulumi.StringOutput)
	// The hash is an output of the password resource, so it is stored in the state. A hash computed
	// by the program would have a new salt in each run, and so change the Secret.
	users := pulumi.ToSecret(pulumi.Sprintf("%s:%s\n", dashboardUser,
		password.BcryptHash)).(pulumi.StringOutput)
	secret, err := newSecret(t.ctx, t.args.Cluster, t.name+"-dashboard-users", secretArgs{
		name: dashboardSecret, namespace: traefikName, data: object{"users": users},
	}, childOf(t, t.namespace)...)
	if err != nil {
		return fmt.Errorf("dashboard users: %w", err)
	}
	auth, err := t.content("dashboard-auth", "Middleware", "dashboard-auth", object{
		"basicAuth": object{"secret": dashboardSecret},
	}, with(t.args.After, secret)...)
	if err != nil {
		return err
	}
	route, err := t.content("dashboard-route", "IngressRoute", "dashboard", dashboardRoute(host),
		auth, t.tls.Ready)
	if err != nil {
		return err
	}
	t.Dashboard, err = t.gate("dashboard", gateArgs{
		Spec:     t.dashboardProbes(host),
		Revision: t.Values.joinRevision(nil),
		BasicAuth: pulumi.ToSecret(pulumi.Sprintf("%s:%s", dashboardUser,
			t.DashboardPassword)).(pulumi.StringOutput),
	}, with(t.Values.Rolled, route, t.Address)...)
	return err
}

func dashboardRoute(host string) object {
	return object{
		"entryPoints": []string{"websecure"},
		"routes": array{object{
			"kind":        "Rule",
			"match":       fmt.Sprintf("Host(`%s`) && (PathPrefix(`/dashboard`) || PathPrefix(`/api`))", host),
			"middlewares": array{object{"name": "dashboard-auth"}},
			"services":    array{object{"kind": "TraefikService", "name": "api@internal"}},
		}},
		"tls": object{"secretName": traefikTLS},
	}
}

// dashboardProbes returns the Spec of the dashboard's gate: requests for the dashboard's data
// without a login, with the user's login, and without TLS.
func (t *traefik) dashboardProbes(host string) health.Spec {
	const data = "/api/rawdata"
	return health.Spec{
		Body: http.Spec{
			Namespace: traefikName, Service: traefikName, CASecret: t.args.CA.CASecret,
			Probes: []http.Probe{
				{Name: "stranger", URL: "https://" + host + data, Status: []int{401}},
				{Name: dashboardUser, URL: "https://" + host + data, Status: []int{200},
					Auth: true},
				{Name: "redirect", URL: "http://" + host + data, Status: []int{301, 302, 307, 308},
					RedirectTo: "https://" + host + data},
			},
		},
	}
}
