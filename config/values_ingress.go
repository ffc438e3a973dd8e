package config

import "slices"

// chosenAddress are the ways to ask MetalLB for an address, below a Service's values.
const (
	metallbIPs    = `"metallb.io/loadBalancerIPs"`
	chosenAddress = "annotations[" + metallbIPs + "]"
)

var traefikOwned = slices.Concat(
	named("namespaceOverride", "instanceLabelOverride", "service.nameOverride"),
	traefikPods(), traefikService(), traefikPorts(), traefikObjects(),
)

func traefikPods() []OwnedValue {
	return slices.Concat(
		set("use traefik.replicas", "deployment.replicas", "autoscaling"),
		because("Pods of Traefik lose no request when they stop", "use traefik.longestRequest", "deployment.minReadySeconds",
			"deployment.terminationGracePeriodSeconds", "deployment.lifecycle"),
		because("a rollout replaces one Pod after the other", "", "updateStrategy"),
		because(budgeted, "use traefik.replicas", "podDisruptionBudget.enabled", "podDisruptionBudget.maxUnavailable", "podDisruptionBudget.minAvailable"),
		set("", "topologySpreadConstraints"),
		relied(gated, "deployment.enabled", "deployment.kind"),
		relied("Traefik reads routes of every namespace", "rbac.enabled", "rbac.namespaced"),
		relied("it needs CRDs that are not installed", "hub"),
	)
}

func traefikService() []OwnedValue {
	return slices.Concat(
		because("Strata sets it", "use traefik.externalTrafficPolicy", "service.spec.externalTrafficPolicy"),
		because("the gate of the address waits for one from MetalLB", "", "service.enabled", "service.spec.type", "service.spec.loadBalancerClass"),
		because("Strata sets it", "use traefik.address", "service."+chosenAddress, `service.annotations["metallb.universe.tf/loadBalancerIPs"]`,
			"service.annotationsTCP["+metallbIPs+"]", "service.spec.loadBalancerIP"),
	)
}

func traefikPorts() []OwnedValue {
	owned := slices.Concat(
		because("requests without TLS are sent to https", "", "ports.web.http.redirections"),
		because("Strata sets it", "use certManager.acme.solver", "ports.web.allowACMEByPass"),
		because("the Gateway's https listener ends TLS there", "", "ports.websecure.http.tls.enabled"),
		relied("a canary counts answers there", "ports.metrics.port", "metrics.prometheus.entryPoint", "metrics.prometheus.addServicesLabels",
			"metrics.prometheus.manualRouting"),
		set("", "metrics.prometheus.service.enabled"),
	)
	for _, port := range []string{"ports.web.", "ports.websecure."} {
		owned = append(owned, slices.Concat(
			because("Pods of Traefik lose no request when they stop", "use traefik.longestRequest",
				port+"transport.lifeCycle", port+"transport.keepAliveMaxTime"),
			relied("the Gateway's listeners and the gate of the address go by this port", port+"port", port+"exposedPort", port+"expose", port+"protocol",
				port+"targetPort"),
		)...)
	}
	return owned
}

func traefikObjects() []OwnedValue {
	return slices.Concat(
		set("", "ingressClass.enabled", "ingressClass.name", "gatewayClass.enabled", "gatewayClass.name"),
		because(itself, "", "gateway", "tlsStore.default"),
		because(itself, "use traefik.dashboard", "ingressRoute.dashboard"),
		// Its gate asks /api/rawdata, which Traefik serves without the dashboard as well (traefik
		// pkg/api/handler.go).
		unless(withoutDashboard, because("with traefik.dashboard a route, a gate and an output of the stack go by it", "use traefik.dashboard",
			"api.dashboard", "api.basePath")),
		// Until each of its caches is filled, Traefik has no route of the Gateway API (traefik
		// pkg/provider/kubernetes/gateway/client.go, WatchAll).
		because("Traefik would wait without end for TCPRoute v1alpha2, which the Gateway API's standard channel does not have, and serve no HTTPRoute",
			"use Traefik's own IngressRouteTCP", "providers.kubernetesGateway.experimentalChannel"),
		set("", "providers.kubernetesCRD.enabled", "providers.kubernetesIngress.enabled", "providers.kubernetesGateway.enabled"),
		relied(unseen, "providers.kubernetesCRD.namespaces", "providers.kubernetesCRD.labelSelector", "providers.kubernetesCRD.ingressClass",
			"providers.kubernetesIngress.namespaces", "providers.kubernetesIngress.labelSelector", "providers.kubernetesIngress.ingressClass",
			"providers.kubernetesGateway.namespaces", "providers.kubernetesGateway.labelSelector"),
		relied("an Ingress has its address from it, which an up waits for", "providers.kubernetesIngress.publishedService"),
	)
}

func withoutDashboard(c *Config, _ any) bool { return !*c.Traefik.Dashboard }

var apisixOwned = slices.Concat(
	named("service.labelsOverride"),
	set("use apisix.replicas", "replicaCount", "autoscaling"),
	because(budgeted, "use apisix.replicas", "podDisruptionBudget"),
	because("a rollout replaces one Pod after the other", "", "updateStrategy"),
	set("", "topologySpreadConstraints"),
	because("its line gives Pods the time to stop, for which the chart has no value", "", "priorityClassName"),
	because("its line has the probe of the start, for which the chart has no value", "", "image.pullPolicy"),
	relied(gated, "useDaemonSet"),
	because("the data plane has no etcd: its controller configures it", "", "etcd", "externalEtcd", "apisix.deployment", "apisix.fullCustomConfig"),
	because("the controller is a release of its own", "use apisix.controllerValues", "ingress-controller"),
	because(off, "", "control"),
	because("Strata sets it", "use apisix.externalTrafficPolicy", "service.externalTrafficPolicy"),
	because("the gate of the address waits for one from MetalLB", "", "service.type"),
	because("Strata sets it", "use apisix.address", "service."+chosenAddress, `service.annotations["metallb.universe.tf/loadBalancerIPs"]`,
		"service.loadBalancerIP"),
	relied("the Gateway, the network policy and the gates go by this port", "service.http.enabled", "service.http.servicePort", "service.http.containerPort",
		"service.tls.servicePort", "apisix.ssl.enabled", "apisix.ssl.containerPort", "apisix.status"),
	because("only the controller and the gates reach the admin API, with keys of Strata's", "", "apisix.admin"),
	because("metrics and canaries are read there", "", "apisix.prometheus"),
	relied("a list replaces APISIX's own, which has what Strata uses", "apisix.plugins"),
)

var apisixControllerOwned = slices.Concat(
	named("labelsOverride"),
	set("", "config.provider.type", "config.listenerPortMatchMode"),
	because("the gates of upstreams rely on it", "", "config.provider.syncPeriod"),
	because("Strata makes the classes itself", "", "config.controllerName", "config.kubernetes.ingressClass", "config.kubernetes.defaultIngressClass"),
	relied("the Gateway is Strata's way in", "config.disableGatewayAPI"),
	because("the gate of the webhook relies on it", "", "webhook.enabled", "webhook.failurePolicy", "webhook.certificate"),
	because(itself, "", "gatewayProxy", "apisix"),
	unless(some, because("with none no route reaches the data plane", "write at least 1", "deployment.replicas")),
)
