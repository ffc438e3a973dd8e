package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health/waitfor"
)

const (
	// certificateMinRemaining is the remaining validity below which a certificate's gate fails.
	// cert-manager renews a certificate earlier, when a third of its lifetime remains.
	certificateMinRemaining = 24 * time.Hour
	// traefikPreStop is the time for which a terminating Pod goes on serving, until every
	// kube-proxy has removed it.
	traefikPreStop = 10 * time.Second
	// traefikKeepAlive is the age of a connection from which Traefik tells the client to close it
	// with the next response. A terminating Traefik closes idle connections, and a request that
	// arrives at that moment is lost. At the end of preStop, only connections with less than one
	// request in this time remain (traefik pkg/server/server_entrypoint_tcp.go; measured: 2 of
	// 12,000 POSTs lost without it).
	traefikKeepAlive = traefikPreStop / 2
	// traefikSlack is added to preStop and the longest request to compute the Pod's
	// terminationGracePeriodSeconds.
	traefikSlack = 10 * time.Second
)

// traefikValues returns the chart's values. A Pod loses no request when it terminates: it accepts
// new requests during preStop and finishes open ones during graceTimeOut. The termination grace
// period covers both. If challenges is true, requests for /.well-known/acme-challenge/ are not
// redirected to https, which has no certificate yet.
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
		"gateway": off, // Traefik.gateway registers one that waits for its certificate
		"gatewayClass": pulumi.Map{"enabled": pulumi.Bool(true),
			"name": pulumi.String(traefikName)},
		"service":      service,
		"ports":        pulumi.Map{"web": web, "websecure": port(pulumi.Map{"tls": on})},
		"ingressRoute": pulumi.Map{"dashboard": off}, // dashboard registers one with a login
		"metrics":      pulumi.Map{"prometheus": pulumi.Map{"service": on}},
	}
}

// traefikGateway returns the Gateway's spec. The listeners have the ports 8000 and 8443 instead of
// the Service's 80 and 443, because Traefik maps a listener to the entry point with the same
// container port (traefik pkg/provider/kubernetes/gateway: entryPointName).
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

// gatewayWait returns annotations that make Pulumi wait until the Gateway is Programmed.
func gatewayWait(limit time.Duration) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Condition("Programmed").Annotations(limit))
}
