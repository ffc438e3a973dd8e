package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health/waitfor"
)

const (
	// certificateMinRemaining is the least time that a certificate must still be valid.
	// cert-manager renews long before.
	certificateMinRemaining = 24 * time.Hour
	// traefikPreStop is the time for which a stopping Pod goes on serving, until every kube-proxy
	// has removed it.
	traefikPreStop = 10 * time.Second
	// traefikKeepAlive is the age from which Traefik asks a client to close its connection with the
	// next answer. A stopping Traefik closes idle connections, and a request that arrives at that
	// moment is lost. At the end of preStop, only connections with less than one request in this
	// time are left (traefik pkg/server/server_entrypoint_tcp.go; measured: 2 of 12,000 POSTs lost
	// without it).
	traefikKeepAlive = traefikPreStop / 2
	// traefikSlack extends the grace period of a stop beyond preStop and the longest request.
	traefikSlack = 10 * time.Second
)

// traefikValues returns the chart's values: Pods that lose no request when they are replaced, one
// IngressClass and one GatewayClass. A stop has two phases: preStop, in which the Pod still serves,
// and graceTimeOut, in which it finishes open requests. Kubernetes' grace period includes both.
// With challenges, requests for /.well-known/acme-challenge/ are not redirected to https, which has
// no certificate yet.
func traefikValues(cfg config.Traefik, challenges bool) pulumi.Map {
	longest := cfg.LongestRequest.Duration
	grace := traefikPreStop + longest + traefikSlack
	lifecycle := pulumi.Map{"requestAcceptGraceTimeout": pulumi.String("0s"),
		"graceTimeOut": pulumi.String(longest.String())}
	port := func(http pulumi.Map) pulumi.Map {
		return pulumi.Map{"transport": pulumi.Map{"lifeCycle": lifecycle,
			"keepAliveMaxTime": pulumi.String(traefikKeepAlive.String())}, "http": http}
	}
	service := pulumi.Map{"spec": pulumi.Map{
		"type":                  pulumi.String("LoadBalancer"),
		"externalTrafficPolicy": pulumi.String(cfg.ExternalTrafficPolicy.OrDefault()),
	}}
	if cfg.Address.IsValid() {
		service["annotations"] = pulumi.Map{
			"metallb.io/loadBalancerIPs": pulumi.String(cfg.Address.String())}
	}
	web := port(pulumi.Map{"redirections": pulumi.Map{"entryPoint": pulumi.Map{
		"to": pulumi.String("websecure"), "scheme": pulumi.String("https"),
		"permanent": pulumi.Bool(true),
	}}})
	if challenges {
		web["allowACMEByPass"] = pulumi.Bool(true)
	}
	on, off := pulumi.Map{"enabled": pulumi.Bool(true)}, pulumi.Map{"enabled": pulumi.Bool(false)}
	return pulumi.Map{
		"deployment": pulumi.Map{
			"replicas":                      pulumi.Int(cfg.Replicas),
			"minReadySeconds":               pulumi.Int(5),
			"terminationGracePeriodSeconds": pulumi.Int(int(grace.Seconds())),
			"lifecycle": pulumi.Map{
				"preStop": pulumi.Map{"sleep": pulumi.Map{
					"seconds": pulumi.Int(int(traefikPreStop.Seconds()))}}},
		},
		"livenessProbe": patientLiveness(),
		"updateStrategy": pulumi.Map{"rollingUpdate": pulumi.Map{"maxUnavailable": pulumi.Int(0),
			"maxSurge": pulumi.Int(1)}},
		"podDisruptionBudget": pulumi.Map{
			"enabled": pulumi.Bool(cfg.Replicas > 1), "maxUnavailable": pulumi.Int(1),
		},
		"topologySpreadConstraints": spreadOverNodes(
			pulumi.StringMap{"app.kubernetes.io/name": pulumi.String(traefikName)}),
		"global": pulumi.Map{"checkNewVersion": pulumi.Bool(false),
			"sendAnonymousUsage": pulumi.Bool(false)},
		"ingressClass": pulumi.Map{"enabled": pulumi.Bool(true),
			"isDefaultClass": pulumi.Bool(true), "name": pulumi.String(traefikName)},
		"providers": pulumi.Map{
			"kubernetesCRD": on, "kubernetesIngress": on, "kubernetesGateway": on,
		},
		"gateway": off, // ours waits for its certificate
		"gatewayClass": pulumi.Map{"enabled": pulumi.Bool(true),
			"name": pulumi.String(traefikName)},
		"service":      service,
		"ports":        pulumi.Map{"web": web, "websecure": port(pulumi.Map{"tls": on})},
		"ingressRoute": pulumi.Map{"dashboard": off}, // ours waits for its password
		"metrics":      pulumi.Map{"prometheus": pulumi.Map{"service": on}},
	}
}

// traefikGateway returns the Gateway's spec. Traefik maps a listener to the entry point whose
// container port it names. So the listeners have 8000 and 8443, and not the Service's 80 and 443
// (traefik pkg/provider/kubernetes/gateway: entryPointName).
func traefikGateway(domain string) pulumi.Map {
	routes := pulumi.Map{"namespaces": pulumi.Map{"from": pulumi.String("All")}}
	return pulumi.Map{
		"gatewayClassName": pulumi.String(traefikName),
		"listeners": pulumi.Array{
			pulumi.Map{
				"name": pulumi.String("http"), "protocol": pulumi.String("HTTP"),
				"port": pulumi.Int(8000), "allowedRoutes": routes,
			},
			pulumi.Map{
				"name": pulumi.String("https"), "protocol": pulumi.String("HTTPS"),
				"port": pulumi.Int(8443), "allowedRoutes": routes,
				"hostname": pulumi.String("*." + domain),
				"tls": pulumi.Map{
					"mode": pulumi.String("Terminate"),
					"certificateRefs": pulumi.Array{pulumi.Map{"kind": pulumi.String("Secret"),
						"name": pulumi.String(traefikTLS)}},
				},
			},
		},
	}
}

// gatewayWait makes the engine wait until Traefik serves the Gateway.
func gatewayWait(limit time.Duration) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Condition("Programmed").Annotations(limit))
}
