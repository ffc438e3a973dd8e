package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/cluster/canary"
	"strata/health/upstreams"
)

// WorkloadIngress describes an ingress controller for the routes of workloads.
type WorkloadIngress struct {
	// Class is the name of both the IngressClass and the Gateway. Namespace is the namespace of the
	// Gateway and of Service, which has type LoadBalancer.
	Class, Namespace, Service string
	// Listeners are the Gateway's listeners to which routes attach.
	Listeners []string
	// IP is the load balancer's address; nil if it is unknown.
	IP pulumi.StringInput
	// Domain is the DNS domain of the routes' hosts.
	Domain string
	// CASecret is the Secret, as namespace/name, with the CA that signed the domain's certificate.
	CASecret string
	// Admitted are the gates that a route waits for: they pass once the API servers serve the
	// route's kind and its admission webhook works. Address is the gate of the load balancer's
	// address; nil if there is none.
	Admitted []pulumi.Resource
	Address  *Gate
	// Values make the gates of routes run again when the user's values of the controller's chart
	// change.
	Values Valued
	// Metrics describes the controller's metrics that count responses by Service or Pod; nil if
	// there are none.
	Metrics *canary.Metrics
	// Plane is the Spec of the upstreams gate, without routes; nil if the controller has no
	// separate data plane. Key is the gate's key for the admin API. The gate waits for Rolled, and
	// runs again when PlaneRevision changes.
	Plane         *upstreams.Spec
	Key           pulumi.StringInput
	Rolled        *Gate
	PlaneRevision pulumi.StringInput
	// Judged is true if the controller writes the status conditions of an HTTPRoute for which
	// Pulumi can wait (routeWait).
	Judged bool
}

// TraefikIngress returns the WorkloadIngress of Traefik for routes in domain. Routes attach only to
// the listener https, because Traefik redirects plain HTTP to it.
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

// APISIXIngress returns the WorkloadIngress of APISIX for routes in domain.
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
			// APISIX's metrics have one route id for all backends, so only the Pod's address
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
