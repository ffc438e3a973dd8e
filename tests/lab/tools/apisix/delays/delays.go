// Package delays has the artificial delays of the stand-ins, each with its source. They imitate
// slow steps of upstream. All are in this package, so that a benchmark can turn them off with one
// variable: Scale, which the lab sets when it builds with STRATA_LAB_DELAYS=zero. The lab's real
// parts, such as cert-manager, httpbin, the REST API and kubelet's probes, have no artificial
// delays.
package delays

import "time"

// Scale is "1", or "0" for stand-ins without delays. The linker sets it.
var Scale = "1"

const (
	// webhook is the time from the Ready controller Pod until its webhook listens. Source: users of
	// upstream measured 7 to 10 s. Upstream 2.2.0, as measured for tests/lab/originals.md,
	// listens 0.1 s after its start, so before its Pod is Ready. The longer time is kept, because
	// it is the harder case.
	webhook = 8500 * time.Millisecond
	// sync is the time from a change until the controller sends it. Source: the controller starts
	// an ADC run for each change, limited by exec_adc_timeout of 15 s. An empty run takes one
	// second on a developer's machine.
	sync = time.Second
	// keycloak is the time that Keycloak takes to start. Source: its log, "Keycloak 26 on JVM
	// started in …s". `start` without --optimized first builds; together that takes about 15 s on
	// two cores.
	keycloak = 15 * time.Second
	// poll is the interval at which each worker of the data plane reads its configuration. Each
	// kind of object has a timer of its own. Source: apisix/core/config_yaml.lua, _automatic_fetch.
	poll = 100 * time.Millisecond
	// gateway is the time that APISIX takes to start: its CLI writes nginx.conf and starts nginx.
	// Source: APISIX's entry point, about 2 s on two cores.
	gateway = 2 * time.Second
)

// Webhook returns the time from the Ready controller Pod until its webhook listens.
func Webhook() time.Duration { return scaled(webhook) }

// Sync returns the time from a change until the controller sends it.
func Sync() time.Duration { return scaled(sync) }

// Keycloak returns the time that Keycloak takes to start.
func Keycloak() time.Duration { return scaled(keycloak) }

// Poll returns the interval at which the data plane reads each kind of object.
func Poll() time.Duration { return scaled(poll) }

// Gateway returns the time that APISIX takes to start.
func Gateway() time.Duration { return scaled(gateway) }

func scaled(full time.Duration) time.Duration {
	if Scale == "0" {
		return 0
	}
	return full
}
