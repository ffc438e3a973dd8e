package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
	"strata/health/pool"
	"strata/health/waitfor"
	"strata/health/webhook"
)

// poolWait returns annotations that make Pulumi wait until the controller has written the number of
// available addresses to the pool's status. An IPAddressPool has no conditions (metallb
// api/v1beta1/ipaddresspool_types.go), so a wait for Ready would time out.
func poolWait(limit time.Duration) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Exists("{.status.availableIPv4}").Annotations(limit))
}

// metallbLabels returns the labels of MetalLB's namespace. They set the Pod security level
// privileged, because the speakers use the host network.
func metallbLabels() pulumi.StringMap {
	labels := pulumi.StringMap{}
	for _, mode := range []string{"enforce", "audit", "warn"} {
		labels["pod-security.kubernetes.io/"+mode] = pulumi.String("privileged")
	}
	return labels
}

// metallbWebhook returns the Spec of the webhook's gate: the webhook must accept a dry run of a
// valid pool and deny one of an invalid pool.
func metallbWebhook() health.Spec {
	return health.Spec{
		Body: webhook.Spec{
			Configuration: "metallb-webhook-configuration",
			Namespace:     metallbNamespace, Service: "metallb-webhook-service", Port: 443,
			CASecret:  "metallb-webhook-cert",
			Accept:    poolObject("192.0.2.1-192.0.2.1"), // TEST-NET-1 of RFC 5737: overlaps no real pool
			Deny:      poolObject("not-an-address"),
			DenyMatch: "ipaddresspoolvalidationwebhook.metallb.io",
			Workloads: []string{metallbNamespace + "/Deployment/metallb-controller"},
		},
	}
}

// poolObject returns an IPAddressPool for dry runs.
func poolObject(addresses string) map[string]any {
	return map[string]any{
		"apiVersion": "metallb.io/v1beta1",
		"kind":       "IPAddressPool",
		"metadata":   map[string]any{"name": "strata-gate", "namespace": metallbNamespace},
		"spec":       map[string]any{"addresses": []any{addresses}, "autoAssign": false},
	}
}

// metallbPoolGate returns the Spec of the gate that checks whether the controller and the speakers
// of all nodes have accepted the pool.
func metallbPoolGate(args *MetalLBArgs) health.Spec {
	body := pool.Spec{Namespace: metallbNamespace, Name: metallbPool,
		Addresses: args.Config.Addresses}
	if args.Cluster.Hosts == nil {
		body.SpeakerPods = "app.kubernetes.io/name=metallb,app.kubernetes.io/component=speaker" // the chart's labels
	} else {
		for _, host := range args.Cluster.Hosts.All {
			body.Speakers = append(body.Speakers, host.Node.Name)
		}
	}
	return health.Spec{
		Timeout: args.Timeouts.MetalLBPool, TimeoutKey: "strata:timeouts.metallbPool", Body: body,
	}
}
