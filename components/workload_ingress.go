package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/cluster/canary"
	"strata/health/upstreams"
)

// WorkloadIngress is an ingress controller as a workload's routes see it.
type WorkloadIngress struct {
	// Class is the name of its IngressClass and of its Gateway; Namespace has the Gateway and the
	// Service, which is of type LoadBalancer.
	Class, Namespace, Service string
	// Listeners are the Gateway's that routes attach to.
	Listeners []string
	// IP is the Service's address; nil where nothing waits for it.
	IP pulumi.StringInput
	// Domain is the parent of all hosts.
	Domain string
	// CASecret holds the CA that signed the domain's certificate, as namespace/name.
	CASecret string
	// Admitted are the gates that a route waits for: whoever serves and admits its kind. Address is
	// the load balancer's.
	Admitted []pulumi.Resource
	Address  *Gate
	// Values are the user's for it: with others, the routes are asked again.
	Values Valued
	// Metrics count answers by Service or Pod; nil where none do.
	Metrics *canary.Metrics
	// Plane configures the upstreams gate, which needs Key, runs after Rolled, and runs again at
	// another PlaneRevision. It is nil if the ingress controller reads the Pods by itself.
	Plane         *upstreams.Spec
	Key           pulumi.StringInput
	Rolled        *Gate
	PlaneRevision pulumi.StringInput
	// Judged is true where the controller's own name is in the status of an HTTPRoute, so that the
	// route can wait for it.
	Judged bool
}

// TraefikIngress returns Traefik's side of routes below a domain. The entry point redirects plain
// HTTP to https, so one listener is enough.
func TraefikIngress(t *Traefik, domain, caSecret string) WorkloadIngress {
	return WorkloadIngress{
		Class: traefikName, Namespace: traefikName, Service: traefikName,
		Listeners: []string{"https"}, Domain: domain, CASecret: caSecret,
		Admitted: []pulumi.Resource{t.Programmed}, Address: t.Address, Judged: true, IP: t.IP,
		Values: t.Values,
		Metrics: &canary.Metrics{
			Namespace: traefikName, Selector: "app.kubernetes.io/name=" + traefikName, Port: 9100,
			Path:    "/metrics",
			Counter: "traefik_service_requests_total", Label: "service",
		},
	}
}

// APISIXIngress returns APISIX's side of routes below a domain.
func APISIXIngress(a *APISIX, domain, caSecret string) WorkloadIngress {
	way := WorkloadIngress{
		Class: apisixName, Namespace: apisixNamespace, Service: apisixService,
		Listeners: []string{"http", "https"}, Domain: domain,
		CASecret: caSecret, Admitted: []pulumi.Resource{a.Webhook}, Address: a.Address,
		Values: a.Values,
		Plane:  &a.Plane, Key: a.Key, Rolled: a.Rollout, PlaneRevision: a.Revision,
		Metrics: &canary.Metrics{
			Namespace: apisixNamespace, Selector: "app.kubernetes.io/name=" + apisixName,
			Port: 9091, Path: "/apisix/prometheus/metrics",
			// A route has one id for all its backends, so that only the Pod's address tells them
			// apart (apisix/plugins/prometheus/exporter.lua; DEFAULT_REFRESH_INTERVAL).
			Counter: "apisix_http_status", Label: "node", ByPod: true,
			Age: metav1.Duration{Duration: 15 * time.Second},
		},
	}
	if a.HasIP {
		way.IP = a.IP
	}
	return way
}
