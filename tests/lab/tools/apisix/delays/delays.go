// Package delays has the stand-ins' times for the originals' slow steps, each with its source. They
// are all here, so that a benchmark without them is one variable: Scale, which the lab sets when it
// builds with STRATA_LAB_DELAYS=zero. The lab's real parts take their own time: cert-manager's
// issuing, for which seed 002 has 12 s, httpbin, the REST API, and kubelet's probes.
package delays

import "time"

// Scale is 1, or 0 for stand-ins that take no time. It is set when they are built.
var Scale = "1"

const (
	// webhook is from the moment the controller's Pod is Ready to its webhook listening. Source:
	// seed 000, "Timing gap: ~7-10 seconds between pod start and webhook listening", and "Gap
	// between pod ready and webhook listening". The original 2.2.0, as it was run, listens 0.1 s
	// after its start, and so before it is Ready (tests/lab/originals.md). The seed's is kept: it
	// is the harder case.
	webhook = 8500 * time.Millisecond
	// sync is from a change to the controller's sending it. Source: an ADC run, which the
	// controller starts for each change, bounded by exec_adc_timeout of 15 s; an empty one takes
	// one second on a developer's machine.
	sync = time.Second
	// keycloak is Keycloak's start. Source: its own log, "Keycloak 26 on JVM started in …s":
	// `start` without --optimized builds first, together some 15 s on two cores.
	keycloak = 15 * time.Second
	// poll is the pause between two takes of each worker of the data plane, for each kind of object
	// by itself. Source: apisix/core/config_yaml.lua, _automatic_fetch.
	poll = 100 * time.Millisecond
	// gateway is APISIX's start: its CLI writes nginx.conf and starts nginx. Source: apisix's entry
	// point, some 2 s on two cores.
	gateway = 2 * time.Second
)

// Webhook returns the time from the Pod's readiness until the controller's webhook listens.
func Webhook() time.Duration { return scaled(webhook) }

// Sync returns the controller's time to send a change.
func Sync() time.Duration { return scaled(sync) }

// Keycloak returns the time of Keycloak's start.
func Keycloak() time.Duration { return scaled(keycloak) }

// Poll returns the data plane's greatest time to take one kind of object.
func Poll() time.Duration { return scaled(poll) }

// Gateway returns the time of APISIX's start.
func Gateway() time.Duration { return scaled(gateway) }

func scaled(full time.Duration) time.Duration {
	if Scale == "0" {
		return 0
	}
	return full
}
