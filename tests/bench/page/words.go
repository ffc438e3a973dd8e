package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"strata/tests/bench"
)

// meanings describe the results, by the part of their names before the slash.
var meanings = map[string]string{
	"up_wall":             "an update of staging on fresh hosts",
	"critical_path_ratio": "wall time of that update divided by its critical path; 1: only dependencies held it up",
	"up_serial_ratio": "the sum of all steps divided by the wall time of that update: the " +
		"gain of running in parallel",
	"noop_up":      "an update with nothing to do",
	"noop_preview": "a preview with nothing to do",
	"gate_lag_p50": "time from a condition being true to its gate passing, all gates, median",
	"gate_lag_p95": "time from a condition being true to its gate passing, 95th percentile",
	"serial_ratio": "time of a serial script divided by that of an update of the same " +
		"layers, both on a ready cluster; skip: without validation, zero: stand-ins without delays",
	"serial_script": "time of that script",
	"serial_strata": "time of that update",
	"wave1_s":       "of that update: until cert-manager, the CRDs and APISIX's controller are there",
	"wave2_s":       "from then on until the last manifest is applied",
	"wave3_s":       "from then on until everything is validated",
	"webhook_gap": "time from the Pod of APISIX's controller being Ready to its webhook " +
		"serving: each run refused a GatewayProxy in between, and accepted it afterwards",
	"apisix_total":  "an update of K3s, APISIX and its demo on bare hosts",
	"cost_up":       "an update with providers that take no time, the state saved after each step",
	"cost_up_once":  "the same update, the state saved at the end only",
	"cost_noop":     "an update with nothing to do and providers that take no time",
	"cost_share":    "share of the processor's time",
	"lab_up":        "an update of the lab",
	"lab_noop":      "an update with nothing to do, on the lab",
	"lab_noop_bare": "the same with `verify` and `drift` off",

	"first_up_processor_time": "processor time of the first `make up` of local, from empty " +
		"caches until it is up, without that of its hosts",
	"first_up_wall": "how long that took",
	"first_up_others": "share of the machine's processor time in which its hosts and " +
		"other programs ran; they make first_up_wall longer",
	"first_up_share":        "share of that processor time",
	"first_up_estimate_off": "error of the build's estimates, as a share of the time left, 95th percentile",

	"requests_lost":                  "POSTs lost at a constant rate, of at least 10,000 or as many as were sent",
	"requests_sent":                  "POSTs sent meanwhile",
	"requests_p99":                   "latency of those, 99th percentile",
	"requests_lost_without":          "POSTs lost while one Pod is replaced without this protection",
	"certificate_race_failed_mounts": "FailedMount events of a Pod whose certificate takes 12 s",
	"certificate_race_start_delay":   "from the certificate to the start of that Pod's application",
	"upgrade_wall": "an upgrade of K3s on three servers and two agents, killed " +
		"in the middle and finished by the next update",
	"upgrade_api_gap":     "the longest time without an API server during that upgrade",
	"upgrade_service_gap": "the longest time without an answer of a Service during that upgrade",
	"endpoint_gap": "the longest time without the API at its own address after " +
		"the server that held it died",
	"mutants_killed_ratio": "small changes of the gates' judgement that fail a test, of all that " +
		"a test can notice (`make mutants`)",
	"kills_tried": "commands interrupted: `engine/…` killed before and behind each action of " +
		"each operation, `lab/local` at seeded moments, `lab/actions/…` inside a long action",
	"kills_converged": "of those, the ones that the same command, run once more, " +
		"made good: the next update found nothing to do, and nothing was left over",
	"fault_healing_p95": "time from the end of such a fault until all gates of the " +
		"stack were open again, without a hand, 95th percentile",
	"fault_naming_p95": "time from such a fault being visible until a gate named it, 95th percentile",
	"drift_named": "changes by hand on hosts and in the cluster that the preview named " +
		"(`tests/e2e/drift_cases_test.go`)",
	"drift_repaired":     "of those, the ones that one update put back",
	"drift_false_alarms": "differences that were named after an update without a change by hand",
	"faults_injected":    "faults brought into a platform that is up ([docs/faults.md](faults.md))",
	"faults_named": "of those, the ones that a gate named with layer, object, " +
		"cause and fix, and stayed closed for",
	"histories_checked": "random programs of operations, kills and losses that were " +
		"held to the invariants",
	"histories_violated": "of those, the ones that violated one",
	"recovery_api":       "a restore after two of three servers lost their data: until the API answers",
	"recovery_all":       "the same restore: until every node works",
}

// meaning returns the description of a result, which all parts of a result share.
func meaning(name string) string {
	base, _, _ := strings.Cut(name, "/")
	return meanings[base]
}

// written formats a value with its unit.
func written(value float64, unit string) string {
	if unit == "ratio" {
		return fmt.Sprintf("%.2f", value)
	}
	if unit != "s" && unit != "ms" {
		return strconv.FormatFloat(value, 'f', -1, 64) + " " + unit // a count
	}
	digits := 0 // three significant digits, and never an exponent
	if value > 0 {
		digits = max(0, 2-int(math.Floor(math.Log10(value))))
	}
	return strconv.FormatFloat(value, 'f', digits, 64) + " " + unit
}

// promise formats the target of a result.
func promise(r bench.Result) string {
	switch {
	case r.Target == nil:
		return ""
	case r.AtLeast:
		return "at least " + written(*r.Target, r.Unit)
	}
	return "at most " + written(*r.Target, r.Unit)
}

// verdict returns "yes" if the target is met.
func verdict(r bench.Result) string {
	if r.Met() {
		return "yes"
	}
	return "**no**"
}
