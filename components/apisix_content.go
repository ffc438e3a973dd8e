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
	// apisixControllerName is the controller's name in the classes. Only the controller of this
	// name reconciles them.
	apisixControllerName = "apisix.apache.org/apisix-ingress-controller"
	// apisixFinalizer is the finalizer that the controller adds to each GatewayClass
	// (internal/controller/gatewayclass_controller.go).
	apisixFinalizer = "apisix.apache.org/gc-protection"
	// apisixPreStop is the duration of preStop in the chart, which has no value for it
	// (apisix-helm-chart charts/apisix/templates/deployment.yaml).
	apisixPreStop = 30 * time.Second
	// apisixResync is the interval at which the controller sends everything to the data plane
	// again, changed or not. It is the chart's default, and the gates of upstreams rely on it.
	apisixResync = time.Minute
	// apisixSlack extends the grace period of a stop beyond preStop and the longest request.
	apisixSlack = 10 * time.Second
)

// apisixLoopback admits the upstreams gates to the admin API: the kubelet forwards their port
// inside the Pod. No network policy applies to this traffic. Everyone who can forward a port can
// also run a shell in the Pod.
const apisixLoopback = "127.0.0.1/32"

// apisixAddress returns the configured address; empty if MetalLB may choose any.
func apisixAddress(cfg config.APISIX) string {
	if !cfg.Address.IsValid() {
		return ""
	}
	return cfg.Address.String()
}

// apisixValues returns the data plane's values. The data plane runs standalone: it holds the
// controller's configuration in memory, and has no etcd.
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

// apisixGrace returns the value that gives a stopping Pod enough time. The chart has a preStop of
// 30 s and leaves the grace period at Kubernetes' 30 s, so each stop would end in a kill. It has no
// value for the grace period (apisix-helm-chart#1011). But it puts priorityClassName into the Pod's
// specification unquoted, so the grace period is a second line of that value. tests/charts checks
// the rendered Pod. It fails if a chart quotes the value, or has a value for the grace period.
func apisixGrace(cfg config.APISIX) string {
	grace := apisixPreStop + cfg.LongestRequest.Duration + apisixSlack
	return fmt.Sprintf("null\n      terminationGracePeriodSeconds: %d", int(grace.Seconds()))
}

// apisixStart makes kubelet ask a Pod every second whether it has its first configuration. The
// chart's own probe runs every ten seconds, and has no value for that. Its first run is just before
// the controller can have answered, so up to nine seconds are wasted. Like the grace period,
// apisixStart is a second line of a value that the chart does not quote
// (charts/apisix/templates/deployment.yaml of 2.14.0). A Pod without a configuration is not
// restarted for a day.
const apisixStart = "IfNotPresent\n          startupProbe: {httpGet: {path: /status/ready, port: " +
	"7085}, periodSeconds: 1, failureThreshold: 86400}"

// apisixControllerValues returns the controller's values. The API server refuses a request if the
// controller's webhook does not answer. With the chart's default, Ignore, it would admit faulty
// objects until the webhook runs.
func apisixControllerValues() pulumi.Map {
	return pulumi.Map{
		"config": pulumi.Map{
			"provider": pulumi.Map{"type": pulumi.String("apisix-standalone"),
				"syncPeriod": pulumi.String(apisixResync.String())},
			// The chart's auto binds a route that names listeners to their ports, 80 and 443.
			// APISIX compares these with its own listening ports, 9080 and 9443, and answers every
			// request with 404 (apisix-helm-chart#1001, apisix-ingress-controller#2782).
			"listenerPortMatchMode": pulumi.String("off"),
			"kubernetes":            pulumi.Map{"ingressClass": pulumi.String(apisixController)}, // no object has this class; ours names a GatewayProxy
		},
		"webhook": pulumi.Map{"enabled": pulumi.Bool(true),
			"failurePolicy": pulumi.String("Fail")},
		"gatewayProxy": pulumi.Map{"createDefault": pulumi.Bool(false)},
	}
}

// apisixPlane returns the Service and Pods of the data plane for the gates of upstreams.
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

// apisixPolicy admits all addresses to the public ports, and only the controller to the admin API.
// Network policies do not apply to kubelets.
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

// apisixProxySpec returns the GatewayProxy's spec: how the controller reaches the data plane.
// Metrics are on for every route.
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
		// A Gateway's addresses come only from here.
		spec["statusAddress"] = pulumi.ToStringArray([]string{want})
	}
	return spec
}

// apisixGateway returns the Gateway's spec, for every route of the cluster.
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

// apisixWebhook returns the gate of the webhook, with a GatewayProxy that must be accepted. It has
// no object that must be refused: the webhook only refuses a second GatewayProxy of one data plane,
// and before the first there is no second. The webhook's configuration says Fail, so an API server
// that cannot reach it refuses the object as well.
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
