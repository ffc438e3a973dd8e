package components

import (
	"fmt"
	"net/netip"
	"time"

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
// port-forward connects from inside the Pod, where no network policy applies. This gives no user
// more access, because a user who may forward ports may usually also open a shell in the Pod.
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
func apisixValues(cfg config.APISIX, pods netip.Prefix) object {
	on, off := object{"enabled": true}, object{"enabled": false}
	service := object{"type": "LoadBalancer",
		"externalTrafficPolicy": cfg.ExternalTrafficPolicy.OrDefault()}
	if want := apisixAddress(cfg); want != "" {
		service["annotations"] = object{"metallb.io/loadBalancerIPs": want}
	}
	return object{
		"replicaCount": cfg.Replicas,
		"updateStrategy": object{"type": "RollingUpdate",
			"rollingUpdate": object{"maxUnavailable": 0, "maxSurge": 1}},
		"etcd":               off,
		"ingress-controller": off, // a release of its own
		"control":            off,
		"service":            service,
		"podDisruptionBudget": object{
			"enabled": cfg.Replicas > 1, "minAvailable": "", "maxUnavailable": 1,
		},
		"priorityClassName":         apisixGrace(cfg),
		"image":                     object{"pullPolicy": apisixStart},
		"topologySpreadConstraints": spreadOverNodes(nameLabel(apisixName)),
		"apisix": object{
			"deployment": object{
				"role":             "traditional",
				"role_traditional": object{"config_provider": "yaml"},
			},
			"ssl": on, "prometheus": on,
			"admin": object{
				"credentials": object{
					"secretName":      apisixKeys,
					"secretAdminKey":  "admin",
					"secretViewerKey": "viewer",
				},
				"allow": object{"ipList": []string{pods.String(), apisixLoopback}},
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
func apisixControllerValues() object {
	return object{
		"config": object{
			"provider": object{"type": "apisix-standalone",
				"syncPeriod": apisixResync.String()},
			// The chart's auto binds a route that names listeners to their ports, 80 and 443.
			// APISIX compares these with its own listening ports, 9080 and 9443, and answers every
			// request with 404 (apisix-helm-chart#1001, apisix-ingress-controller#2782).
			"listenerPortMatchMode": "off",
			// No object has this class, because Strata's IngressClass is apisix.
			"kubernetes": object{"ingressClass": apisixController},
		},
		"webhook":      object{"enabled": true, "failurePolicy": "Fail"},
		"gatewayProxy": object{"createDefault": false},
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

// apisixPolicy returns the spec of the data plane's network policy. It admits all addresses to the
// public ports, and only the controller to the admin API. The kubelet's probes need no rule,
// because network policies do not apply to the kubelet.
func apisixPolicy() object {
	port := func(number int) object {
		return object{"port": number, "protocol": "TCP"}
	}
	return object{
		"podSelector": object{"matchLabels": nameLabel(apisixName)},
		"policyTypes": []string{"Ingress"},
		"ingress": array{
			object{"ports": array{port(9080), port(9443), port(9091), port(7085)}},
			object{
				"from": array{object{
					"podSelector": object{"matchLabels": nameLabel(apisixController)}}},
				"ports": array{port(9180)},
			},
		},
	}
}

// apisixProxySpec returns the GatewayProxy's spec, which tells the controller how to reach the data
// plane. It also enables metrics for every route.
func apisixProxySpec(cfg config.APISIX) object {
	spec := object{
		"publishService": apisixNamespace + "/" + apisixService,
		"plugins":        array{object{"name": "prometheus", "enabled": true, "config": object{}}},
		"provider": object{
			"type": "ControlPlane",
			"controlPlane": object{
				"mode":    "apisix-standalone",
				"service": object{"name": "apisix-admin", "port": 9180},
				"auth": object{"type": "AdminKey", "adminKey": object{"valueFrom": object{
					"secretKeyRef": object{"name": apisixKeys, "key": "admin"},
				}}},
			},
		},
	}
	if want := apisixAddress(cfg); want != "" {
		// The controller copies this to the Gateway's status.addresses; nothing else sets them.
		spec["statusAddress"] = []string{want}
	}
	return spec
}

// apisixGatewaySpec returns the Gateway's spec. The controller finds the GatewayProxy by the
// Gateway's parametersRef.
func apisixGatewaySpec(domain string) object {
	spec := gatewaySpec(apisixName, domain, apisixTLS, 80, 443)
	spec["infrastructure"] = object{"parametersRef": object{
		"group": "apisix.apache.org", "kind": "GatewayProxy", "name": apisixProxy,
	}}
	return spec
}

// apisixWebhook returns the Spec of the webhook's gate. The webhook must accept a dry run of the
// Spec's GatewayProxy; an API server that cannot reach the webhook refuses the dry run
// (failurePolicy Fail). The Spec has no object that the webhook must deny: the webhook only denies
// a second GatewayProxy for the same data plane, and the first does not exist yet.
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
