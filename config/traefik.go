package config

import (
	"cmp"
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Traefik configures the ingress controller Traefik.
type Traefik struct {
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are Helm values for the chart, in the form of its values.yaml. Strata refuses values
	// that it relies on (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// Replicas is the number of Pods. Default 2. With two, one Pod serves while the other
	// is replaced.
	Replicas int `json:"replicas,omitempty"`
	// Address is Traefik's load balancer address, from metallb.addresses. Default: MetalLB's
	// choice.
	Address netip.Addr `json:"address,omitzero"`
	// ExternalTrafficPolicy is Cluster or Local. With Cluster, every node takes requests for the
	// load balancer's address. With Local, only nodes with a ready Pod of the ingress controller
	// do, and the Pod sees the clients' own addresses (docs/values.md has the cost). Default:
	// Cluster.
	ExternalTrafficPolicy TrafficPolicy `json:"externalTrafficPolicy,omitempty"`
	// LongestRequest is the longest time that a request may take. A stopping Pod finishes its open
	// requests within this time. Default 30s.
	LongestRequest metav1.Duration `json:"longestRequest,omitzero"`
	// Dashboard publishes Traefik's dashboard at traefik.DOMAIN, behind TLS and a generated
	// password. Default true.
	Dashboard *bool `json:"dashboard,omitempty"`
}

// TrafficPolicy selects the nodes that take requests from outside for a Service
// (https://kubernetes.io/docs/reference/networking/virtual-ips/#external-traffic-policy).
type TrafficPolicy string

// The values of TrafficPolicy.
const (
	// TrafficCluster makes every node take requests. A node may pass a request on to another node,
	// which then sees the first node's address as the client's.
	TrafficCluster TrafficPolicy = "Cluster"
	// TrafficLocal makes only nodes with a ready Pod take requests, each for its own Pods.
	TrafficLocal TrafficPolicy = "Local"
)

// OrDefault returns the policy, or the default if it is not set. The field itself stays empty then,
// because digests of existing stacks include it.
func (p TrafficPolicy) OrDefault() TrafficPolicy { return cmp.Or(p, TrafficCluster) }

var traefikOwned = slices.Concat(
	keepNames("namespaceOverride", "instanceLabelOverride", "service.nameOverride"),
	traefikPods(), traefikService(), traefikPorts(), traefikObjects(),
)

func traefikPods() []OwnedValue {
	return slices.Concat(
		set("use traefik.replicas", "deployment.replicas", "autoscaling"),
		because("Pods of Traefik lose no request when they stop", "use traefik.longestRequest",
			"deployment.minReadySeconds",
			"deployment.terminationGracePeriodSeconds", "deployment.lifecycle"),
		because("a rollout replaces one Pod after the other", "", "updateStrategy"),
		because(budgeted, "use traefik.replicas", "podDisruptionBudget.enabled",
			"podDisruptionBudget.maxUnavailable", "podDisruptionBudget.minAvailable"),
		set("", "topologySpreadConstraints"),
		keepDefaults(gated, "deployment.enabled", "deployment.kind"),
		keepDefaults("Traefik reads routes of every namespace", "rbac.enabled", "rbac.namespaced"),
		keepDefaults("it needs CRDs that are not installed", "hub"),
	)
}

func traefikService() []OwnedValue {
	return slices.Concat(
		because("Strata sets it", "use traefik.externalTrafficPolicy",
			"service.spec.externalTrafficPolicy"),
		because("the gate of the address waits for one from MetalLB", "", "service.enabled",
			"service.spec.type", "service.spec.loadBalancerClass"),
		because("Strata sets it", "use traefik.address", "service."+chosenAddress,
			`service.annotations["metallb.universe.tf/loadBalancerIPs"]`,
			"service.annotationsTCP["+metallbIPs+"]", "service.spec.loadBalancerIP"),
	)
}

func traefikPorts() []OwnedValue {
	owned := slices.Concat(
		because("requests without TLS are sent to https", "", "ports.web.http.redirections"),
		because("Strata sets it", "use certManager.acme.solver", "ports.web.allowACMEByPass"),
		because("the Gateway's https listener ends TLS there", "",
			"ports.websecure.http.tls.enabled"),
		keepDefaults("a canary counts answers there", "ports.metrics.port",
			"metrics.prometheus.entryPoint", "metrics.prometheus.addServicesLabels",
			"metrics.prometheus.manualRouting"),
		set("", "metrics.prometheus.service.enabled"),
	)
	for _, port := range []string{"ports.web.", "ports.websecure."} {
		owned = append(owned, slices.Concat(
			because("Pods of Traefik lose no request when they stop", "use traefik.longestRequest",
				port+"transport.lifeCycle", port+"transport.keepAliveMaxTime"),
			keepDefaults("the Gateway's listeners and the gate of the address go by this port",
				port+"port", port+"exposedPort", port+"expose", port+"protocol",
				port+"targetPort"),
		)...)
	}
	return owned
}

func traefikObjects() []OwnedValue {
	return slices.Concat(
		set("", "ingressClass.enabled", "ingressClass.name", "gatewayClass.enabled",
			"gatewayClass.name"),
		because(itself, "", "gateway", "tlsStore.default"),
		because(itself, "use traefik.dashboard", "ingressRoute.dashboard"),
		// The dashboard's gate asks /api/rawdata, which Traefik also serves without the dashboard
		// (traefik pkg/api/handler.go).
		unless(withoutDashboard, because(
			"with traefik.dashboard a route, a gate and an output of the stack go by it",
			"use traefik.dashboard",
			"api.dashboard", "api.basePath")),
		// Traefik serves no route of the Gateway API until each of its caches is filled (traefik
		// pkg/provider/kubernetes/gateway/client.go, WatchAll).
		because("Traefik would wait without end for TCPRoute v1alpha2, which the Gateway API's "+
			"standard channel does not have, and serve no HTTPRoute",
			"use Traefik's own IngressRouteTCP", "providers.kubernetesGateway.experimentalChannel"),
		set("", "providers.kubernetesCRD.enabled", "providers.kubernetesIngress.enabled",
			"providers.kubernetesGateway.enabled"),
		keepDefaults(unseen, "providers.kubernetesCRD.namespaces",
			"providers.kubernetesCRD.labelSelector", "providers.kubernetesCRD.ingressClass",
			"providers.kubernetesIngress.namespaces", "providers.kubernetesIngress.labelSelector",
			"providers.kubernetesIngress.ingressClass",
			"providers.kubernetesGateway.namespaces", "providers.kubernetesGateway.labelSelector"),
		keepDefaults("an Ingress has its address from it, which an up waits for",
			"providers.kubernetesIngress.publishedService"),
	)
}

func withoutDashboard(c *Config, _ any) bool { return !*c.Traefik.Dashboard }

func (c *Config) checkTraefik(ps *problems) {
	traefik := c.Traefik
	c.checkController(ps, ControllerTraefik, traefik.Replicas, traefik.LongestRequest.Duration,
		traefik.Address, traefik.ExternalTrafficPolicy)
}
