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
	// traefikKeepAlive is the maximum age of a connection. Traefik tells the client to close an
	// older connection with the next response. A terminating Traefik closes idle connections, and a
	// request that arrives at that moment is lost. At the end of preStop, only connections without
	// a request in the last 5 s remain (traefik pkg/server/server_entrypoint_tcp.go; measured
	// without the limit: 2 of 12,000 POSTs lost).
	traefikKeepAlive = traefikPreStop / 2
	// traefikSlack is added to preStop and the longest request to compute the Pod's
	// terminationGracePeriodSeconds.
	traefikSlack = 10 * time.Second
)

// traefikValues returns the chart's values. A Pod loses no request when it terminates: it accepts
// new requests during preStop and finishes open ones during graceTimeOut. The termination grace
// period covers both. If challenges is true, requests for /.well-known/acme-challenge/ are not
// redirected to https, which has no certificate yet.
func traefikValues(cfg config.Traefik, challenges bool) object {
	longest := cfg.LongestRequest.Duration
	grace := traefikPreStop + longest + traefikSlack
	lifecycle := object{"requestAcceptGraceTimeout": "0s", "graceTimeOut": longest.String()}
	port := func(http object) object {
		return object{"transport": object{"lifeCycle": lifecycle,
			"keepAliveMaxTime": traefikKeepAlive.String()}, "http": http}
	}
	service := object{"spec": object{
		"type":                  "LoadBalancer",
		"externalTrafficPolicy": cfg.ExternalTrafficPolicy.OrDefault(),
	}}
	if cfg.Address.IsValid() {
		service["annotations"] = object{
			"metallb.io/loadBalancerIPs": cfg.Address.String()}
	}
	web := port(object{"redirections": object{"entryPoint": object{
		"to": "websecure", "scheme": "https", "permanent": true,
	}}})
	if challenges {
		web["allowACMEByPass"] = true
	}
	on, off := object{"enabled": true}, object{"enabled": false}
	return object{
		"deployment": object{
			"replicas":                      cfg.Replicas,
			"minReadySeconds":               5,
			"terminationGracePeriodSeconds": int(grace.Seconds()),
			"lifecycle": object{
				"preStop": object{"sleep": object{"seconds": int(traefikPreStop.Seconds())}}}},
		"livenessProbe":             patientLiveness(),
		"updateStrategy":            object{"rollingUpdate": object{"maxUnavailable": 0, "maxSurge": 1}},
		"podDisruptionBudget":       object{"enabled": cfg.Replicas > 1, "maxUnavailable": 1},
		"topologySpreadConstraints": spreadOverNodes(nameLabel(traefikName)),
		"global":                    object{"checkNewVersion": false, "sendAnonymousUsage": false},
		"ingressClass":              object{"enabled": true, "isDefaultClass": true, "name": traefikName},
		"providers": object{
			"kubernetesCRD": on, "kubernetesIngress": on, "kubernetesGateway": on,
		},
		"gateway":      off, // Traefik.gateway registers one that waits for its certificate
		"gatewayClass": object{"enabled": true, "name": traefikName},
		"service":      service,
		"ports":        object{"web": web, "websecure": port(object{"tls": on})},
		"ingressRoute": object{"dashboard": off}, // dashboard registers one with a login
		"metrics":      object{"prometheus": object{"service": on}},
	}
}

// gatewayWait returns annotations that make Pulumi wait until the Gateway is Programmed.
func gatewayWait(limit time.Duration) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Condition("Programmed").Annotations(limit))
}
