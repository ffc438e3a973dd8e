package components

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/config"
	"strata/health"
	"strata/health/upstreams"
	"strata/health/webhook"
)

const (
	// apisixControllerName is the controller's name in the GatewayClass and the IngressClass. A
	// controller with another name ignores them.
	apisixControllerName = "apisix.apache.org/apisix-ingress-controller"
	// apisixFinalizer is the finalizer that the controller adds to each GatewayClass
	// (internal/controller/gatewayclass_controller.go).
	apisixFinalizer = "apisix.apache.org/gc-protection"
	// apisixPreStop is the duration of the preStop hook in the chart. No value of the chart changes
	// it (apisix-helm-chart charts/apisix/templates/deployment.yaml).
	apisixPreStop = 30 * time.Second
	// apisixResync is the interval at which the controller sends everything to the data plane
	// again, changed or not. It is the chart's default, and the gates of upstreams rely on it.
	apisixResync = time.Minute
	// apisixSlack is added to preStop and the longest request to get the Pod's termination grace
	// period.
	apisixSlack = 10 * time.Second
)

// apisixLoopback is a client network that the admin API accepts, for the upstreams gates: a
// port-forward connects from inside the Pod, where no network policy applies. This opens nothing
// new, because a user who may forward ports may usually also open a shell in the Pod.
const apisixLoopback = "127.0.0.1/32"

// apisixAddress returns the configured address of the load balancer; empty if MetalLB may assign
// any.
func apisixAddress(cfg config.APISIX) string {
	if !cfg.Address.IsValid() {
		return ""
	}
	return cfg.Address.String()
}

// apisixValues returns the values of the data plane's chart. The data plane runs in standalone
// mode: it keeps the configuration that the controller sends in memory, so it needs no etcd.
func apisixValues(cfg config.APISIX, pods netip.Prefix) pulumi.Map {
	on, off := pulumi.Map{"enabled": pulumi.Bool(true)}, pulumi.Map{"enabled": pulumi.Bool(false)}
	service := pulumi.Map{"type": pulumi.String("LoadBalancer"),
		"externalTrafficPolicy": pulumi.String(cfg.ExternalTrafficPolicy.OrDefault())}
	if want := apisixAddress(cfg); want != "" {
		service["annotations"] = pulumi.Map{"metallb.io/loadBalancerIPs": pulumi.String(want)}
	}
	return pulumi.Map{
		"replicaCount": pulumi.Int(cfg.Replicas),
		"updateStrategy": pulumi.Map{"type": pulumi.String("RollingUpdate"),
			"rollingUpdate": pulumi.Map{"maxUnavailable": pulumi.Int(0),
				"maxSurge": pulumi.Int(1)}},
		"etcd":               off,
		"ingress-controller": off, // a release of its own
		"control":            off,
		"service":            service,
		"podDisruptionBudget": pulumi.Map{
			"enabled": pulumi.Bool(cfg.Replicas > 1), "minAvailable": pulumi.String(""),
			"maxUnavailable": pulumi.Int(1),
		},
		"priorityClassName":         pulumi.String(apisixGrace(cfg)),
		"image":                     pulumi.Map{"pullPolicy": pulumi.String(apisixStart)},
		"topologySpreadConstraints": spreadOverNodes(apisixLabels(apisixName)),
		"apisix": pulumi.Map{
			"deployment": pulumi.Map{
				"role":             pulumi.String("traditional"),
				"role_traditional": pulumi.Map{"config_provider": pulumi.String("yaml")},
			},
			"ssl": on, "prometheus": on,
			"admin": pulumi.Map{
				"credentials": pulumi.Map{
					"secretName":      pulumi.String(apisixKeys),
					"secretAdminKey":  pulumi.String("admin"),
					"secretViewerKey": pulumi.String("viewer"),
				},
				"allow": pulumi.Map{"ipList": pulumi.ToStringArray([]string{pods.String(),
					apisixLoopback})},
			},
		},
	}
}

// apisixGrace returns a priorityClassName that also sets the Pod's terminationGracePeriodSeconds.
// The chart's preStop hook takes 30 s, which is all of Kubernetes' default grace period, so each
// Pod would be killed. The chart has no value for the grace period (apisix-helm-chart#1011), but it
// renders priorityClassName unquoted. So the grace period is injected as a second line.
// tests/charts fails if a chart quotes the value, or gets a value for the grace period.
func apisixGrace(cfg config.APISIX) string {
	grace := apisixPreStop + cfg.LongestRequest.Duration + apisixSlack
	return fmt.Sprintf("null\n      terminationGracePeriodSeconds: %d", int(grace.Seconds()))
}

// apisixStart is an image pull policy that also adds a startup probe, so the kubelet checks every
// second whether a Pod has its first configuration. The chart's own probe runs every ten seconds,
// which no value changes; it usually just misses the configuration and wastes up to nine seconds.
// Like the grace period, the probe is injected as a second line of an unquoted value
// (charts/apisix/templates/deployment.yaml of 2.14.0). A Pod without a configuration is restarted
// after a day.
const apisixStart = "IfNotPresent\n          startupProbe: {httpGet: {path: /status/ready, port: " +
	"7085}, periodSeconds: 1, failureThreshold: 86400}"

// apisixControllerValues returns the values of the controller's chart. The webhook's failurePolicy
// is Fail: with the chart's default, Ignore, API servers would admit faulty objects until the
// webhook runs.
func apisixControllerValues() pulumi.Map {
	return pulumi.Map{
		"config": pulumi.Map{
			"provider": pulumi.Map{"type": pulumi.String("apisix-standalone"),
				"syncPeriod": pulumi.String(apisixResync.String())},
			// The chart's auto binds a route that names listeners to their ports, 80 and 443.
			// APISIX compares these with its own listening ports, 9080 and 9443, and answers every
			// request with 404 (apisix-helm-chart#1001, apisix-ingress-controller#2782).
			"listenerPortMatchMode": pulumi.String("off"),
			"kubernetes":            pulumi.Map{"ingressClass": pulumi.String(apisixController)}, // no object has this class; ours is the IngressClass apisix
		},
		"webhook": pulumi.Map{"enabled": pulumi.Bool(true),
			"failurePolicy": pulumi.String("Fail")},
		"gatewayProxy": pulumi.Map{"createDefault": pulumi.Bool(false)},
	}
}

// apisixPlane returns the upstreams gates' Spec for the data plane, without routes.
func apisixPlane() upstreams.Spec {
	return upstreams.Spec{
		Namespace: apisixNamespace, Selector: "app.kubernetes.io/name=" + apisixName, Port: 9180,
		Controller: apisixNamespace + "/Deployment/" + apisixController,
		Resync:     metav1.Duration{Duration: apisixResync},
	}
}

func apisixLabels(name string) pulumi.Map {
	return pulumi.Map{"app.kubernetes.io/name": pulumi.String(name)}
}

// apisixPolicy returns the spec of the data plane's network policy. It admits all addresses to the
// public ports, and only the controller to the admin API. The kubelet's probes need no rule,
// because network policies do not apply to the kubelet.
func apisixPolicy() pulumi.Map {
	port := func(number int) pulumi.Map {
		return pulumi.Map{"port": pulumi.Int(number), "protocol": pulumi.String("TCP")}
	}
	return pulumi.Map{
		"podSelector": pulumi.Map{"matchLabels": apisixLabels(apisixName)},
		"policyTypes": pulumi.ToStringArray([]string{"Ingress"}),
		"ingress": pulumi.Array{
			pulumi.Map{"ports": pulumi.Array{port(9080), port(9443), port(9091), port(7085)}},
			pulumi.Map{
				"from": pulumi.Array{pulumi.Map{
					"podSelector": pulumi.Map{"matchLabels": apisixLabels(apisixController)}}},
				"ports": pulumi.Array{port(9180)},
			},
		},
	}
}

// apisixProxySpec returns the GatewayProxy's spec, which tells the controller how to reach the data
// plane. It also enables metrics for every route.
func apisixProxySpec(cfg config.APISIX) pulumi.Map {
	spec := pulumi.Map{
		"publishService": pulumi.String(apisixNamespace + "/" + apisixService),
		"plugins": pulumi.Array{pulumi.Map{"name": pulumi.String("prometheus"),
			"enabled": pulumi.Bool(true), "config": pulumi.Map{}}},
		"provider": pulumi.Map{
			"type": pulumi.String("ControlPlane"),
			"controlPlane": pulumi.Map{
				"mode": pulumi.String("apisix-standalone"),
				"service": pulumi.Map{"name": pulumi.String("apisix-admin"),
					"port": pulumi.Int(9180)},
				"auth": pulumi.Map{"type": pulumi.String("AdminKey"),
					"adminKey": pulumi.Map{"valueFrom": pulumi.Map{
						"secretKeyRef": pulumi.Map{"name": pulumi.String(apisixKeys),
							"key": pulumi.String("admin")},
					}}},
			},
		},
	}
	if want := apisixAddress(cfg); want != "" {
		// The controller copies this to the Gateway's status.addresses; nothing else sets them.
		spec["statusAddress"] = pulumi.ToStringArray([]string{want})
	}
	return spec
}

// apisixGateway returns the Gateway's spec. Routes of all namespaces may attach to it.
func apisixGateway(domain string) pulumi.Map {
	routes := pulumi.Map{"namespaces": pulumi.Map{"from": pulumi.String("All")}}
	return pulumi.Map{
		"gatewayClassName": pulumi.String(apisixName),
		"infrastructure": pulumi.Map{"parametersRef": pulumi.Map{
			"group": pulumi.String("apisix.apache.org"), "kind": pulumi.String("GatewayProxy"),
			"name": pulumi.String(apisixProxy),
		}},
		"listeners": pulumi.Array{
			pulumi.Map{"name": pulumi.String("http"), "protocol": pulumi.String("HTTP"),
				"port": pulumi.Int(80), "allowedRoutes": routes},
			pulumi.Map{
				"name": pulumi.String("https"), "protocol": pulumi.String("HTTPS"),
				"port": pulumi.Int(443), "allowedRoutes": routes,
				"hostname": pulumi.String("*." + domain),
				"tls": pulumi.Map{
					"mode": pulumi.String("Terminate"),
					"certificateRefs": pulumi.Array{pulumi.Map{"kind": pulumi.String("Secret"),
						"name": pulumi.String(apisixTLS)}},
				},
			},
		},
	}
}

// apisixWebhook returns the Spec of the webhook's gate. A dry run of its GatewayProxy must be
// accepted; an API server that cannot reach the webhook refuses it (failurePolicy Fail). There is
// no object that the webhook must refuse: it only refuses a second GatewayProxy for the same data
// plane, and the first does not exist yet.
func apisixWebhook() health.Spec {
	return health.Spec{
		Body: webhook.Spec{
			Configuration: apisixController + "-webhook",
			Namespace:     apisixNamespace, Service: apisixController + "-webhook-svc", Port: 443,
			CASecret: apisixController + "-webhook-cert",
			Accept: map[string]any{
				"apiVersion": "apisix.apache.org/v1alpha1", "kind": "GatewayProxy",
				"metadata": map[string]any{"name": "strata-gate", "namespace": apisixNamespace},
				"spec": map[string]any{"provider": map[string]any{
					"type": "ControlPlane", "controlPlane": map[string]any{
						"endpoints": []any{"http://192.0.2.1:9180"}, // TEST-NET-1 of RFC 5737
						"auth": map[string]any{"type": "AdminKey",
							"adminKey": map[string]any{"value": "strata-gate"}},
					},
				}},
			},
			Workloads: []string{apisixNamespace + "/Deployment/" + apisixController},
		},
	}
}
