package config

import (
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ControllerAPISIX selects Apache APISIX in Ingress.Controllers.
const ControllerAPISIX = "apisix"

// APISIX configures Apache APISIX: its ingress controller, and the data plane that the controller
// configures.
type APISIX struct {
	// ChartVersion is the version of the data plane's chart. Default: the bundle's version, or else
	// the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// ControllerChartVersion is the version of the ingress controller's chart. Default: the
	// bundle's version, or else the pin.
	ControllerChartVersion string `json:"controllerChartVersion,omitempty"`
	// Values are Helm values for the data plane's chart, in the form of its values.yaml. Strata
	// refuses values that it relies on (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// ControllerValues are the same for the ingress controller's chart. Default: none.
	ControllerValues Values `json:"controllerValues,omitzero"`
	// Replicas is the number of Pods of the data plane. Default 2. With two, one Pod serves
	// while the other is replaced.
	Replicas int `json:"replicas,omitempty"`
	// Address is APISIX's load balancer address, from metallb.addresses. Default: MetalLB's choice.
	Address netip.Addr `json:"address,omitzero"`
	// ExternalTrafficPolicy is the policy of the data plane's Service, as in
	// traefik.externalTrafficPolicy. Default: Cluster.
	ExternalTrafficPolicy TrafficPolicy `json:"externalTrafficPolicy,omitempty"`
	// LongestRequest is the longest time that a request may take. A stopping Pod finishes its open
	// requests within this time. Default 30s.
	LongestRequest metav1.Duration `json:"longestRequest,omitzero"`
}

var apisixOwned = slices.Concat(
	keepNames("service.labelsOverride"),
	set("use apisix.replicas", "replicaCount", "autoscaling"),
	because(budgeted, "use apisix.replicas", "podDisruptionBudget"),
	because("a rollout replaces one Pod after the other", "", "updateStrategy"),
	set("", "topologySpreadConstraints"),
	because("its line gives Pods the time to stop, for which the chart has no value", "",
		"priorityClassName"),
	because("its line has the probe of the start, for which the chart has no value", "",
		"image.pullPolicy"),
	keepDefaults(gated, "useDaemonSet"),
	because("the data plane has no etcd: its controller configures it", "", "etcd", "externalEtcd",
		"apisix.deployment", "apisix.fullCustomConfig"),
	because("the controller is a release of its own", "use apisix.controllerValues",
		"ingress-controller"),
	because(off, "", "control"),
	because("Strata sets it", "use apisix.externalTrafficPolicy", "service.externalTrafficPolicy"),
	because("the gate of the address waits for one from MetalLB", "", "service.type"),
	because("Strata sets it", "use apisix.address", "service."+chosenAddress,
		`service.annotations["metallb.universe.tf/loadBalancerIPs"]`,
		"service.loadBalancerIP"),
	keepDefaults("the Gateway, the network policy and the gates go by this port", "service.http.enabled",
		"service.http.servicePort", "service.http.containerPort",
		"service.tls.servicePort", "apisix.ssl.enabled", "apisix.ssl.containerPort",
		"apisix.status"),
	because("only the controller and the gates reach the admin API, with keys of Strata's", "",
		"apisix.admin"),
	because("metrics and canaries are read there", "", "apisix.prometheus"),
	keepDefaults("a list replaces APISIX's own, which has what Strata uses", "apisix.plugins"),
)

var apisixControllerOwned = slices.Concat(
	keepNames("labelsOverride"),
	set("", "config.provider.type", "config.listenerPortMatchMode"),
	because("the gates of upstreams rely on it", "", "config.provider.syncPeriod"),
	because("Strata makes the classes itself", "", "config.controllerName",
		"config.kubernetes.ingressClass", "config.kubernetes.defaultIngressClass"),
	keepDefaults("the Gateway is Strata's way in", "config.disableGatewayAPI"),
	because("the gate of the webhook relies on it", "", "webhook.enabled", "webhook.failurePolicy",
		"webhook.certificate"),
	because(itself, "", "gatewayProxy", "apisix"),
	unless(isPositive, because("with none no route reaches the data plane", "write at least 1",
		"deployment.replicas")),
)

func (c *Config) checkAPISIX(ps *problems) {
	apisix := c.APISIX
	c.checkController(ps, ControllerAPISIX, apisix.Replicas, apisix.LongestRequest.Duration,
		apisix.Address, apisix.ExternalTrafficPolicy)
	ps.addIf(apisix.Address.IsValid() && apisix.Address == c.Traefik.Address &&
		c.Ingress.Uses(ControllerTraefik) && c.Ingress.Uses(ControllerAPISIX),
		field("apisix.address"), apisix.Address.String(),
		"is traefik.address, and both listen on ports 80 and 443", "choose two addresses")
}
