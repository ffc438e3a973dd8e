package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/cluster/canary"
	"strata/health/upstreams"
)

// WorkloadIngress describes an ingress controller to a workload's routes.
type WorkloadIngress struct {
	// Class is the name of both the controller's IngressClass and its Gateway. Namespace has the
	// Gateway and Service, a Service of type LoadBalancer.
	Class, Namespace, Service string
	// Listeners are the Gateway's listeners to which routes attach.
	Listeners []string
	// IP is the Service's address; nil if nothing waits for it.
	IP pulumi.StringInput
	// Domain is the parent of all hosts.
	Domain string
	// CASecret holds the CA that signed the domain's certificate, as namespace/name.
	CASecret string
	// Admitted are the gates that a route waits for: those of the server and the webhook of its
	// kind. Address is the gate of the load balancer's address.
	Admitted []pulumi.Resource
	Address  *Gate
	// Values tell gates about the user's values of the controller's chart. The gates ask the routes
	// again when they change.
	Values Valued
	// Metrics tells how the controller counts answers by Service or Pod; nil if it does not.
	Metrics *canary.Metrics
	// Plane configures the upstreams gate, which needs Key. The gate runs after Rolled, and runs
	// again when PlaneRevision changes. Plane is nil if the ingress controller itself reads the
	// Pods.
	Plane         *upstreams.Spec
	Key           pulumi.StringInput
	Rolled        *Gate
	PlaneRevision pulumi.StringInput
	// Judged is true if the status of an HTTPRoute has the controller's own name, so that the
	// engine can wait for it.
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
			// APISIX gives a route one id for all its backends, so only the Pod's address
			// distinguishes them (apisix/plugins/prometheus/exporter.lua;
			// DEFAULT_REFRESH_INTERVAL).
			Counter: "apisix_http_status", Label: "node", ByPod: true,
			Age: metav1.Duration{Duration: 15 * time.Second},
		},
	}
	if a.HasIP {
		way.IP = a.IP
	}
	return way
}
