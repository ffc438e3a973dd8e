package address

import (
	"regexp"

	"strata/health"
)

// allocationSeconds is the number of seconds for which the same refusal must last until the verdict
// is Stuck. MetalLB tries again within milliseconds after a change of a pool or another Service
// (metallb controller/main.go SyncStateReprocessAll).
const allocationSeconds = 10

// allocationFault explains an error message of MetalLB (internal/allocator/allocator.go).
type allocationFault struct {
	pattern *regexp.Regexp
	cause   string
	hint    string
	// final is true if only a change of pool or Service helps; false if another Service may release
	// the address.
	final bool
}

var allocationFaults = []allocationFault{
	{regexp.MustCompile(`no available IPs`),
		"every address of the pools is taken, or there is no pool",
		"kubectl get ipaddresspools -A; enlarge strata's address pool", true},
	{regexp.MustCompile(`is not allowed in config|unknown pool|not compatible`),
		"the wanted address or pool is in no pool that this Service may use",
		"compare metallb.io/loadBalancerIPs and metallb.io/address-pool with the pools", true},
	{regexp.MustCompile(`also in use by|is already in use on|sharing key|backend key`),
		"another Service has the address",
		"kubectl get services -A; give one of them another address", false},
	{regexp.MustCompile(`invalid requested loadbalancer IPs|same family|more than two addresses|ipFamily`), "the Service asks for an address that cannot be", "correct metallb.io/loadBalancerIPs", true},
}

// judgePending says in the verdict why the Service has no address yet.
func judgePending(v *health.Verdict, s ServiceSeen) {
	v.Message, v.Evidence = "no address yet", s.Events
	if s.Refusal == "" {
		// Without any pool, the controller writes no event, only a log line at level debug (metallb
		// controller/service.go convergeBalancer).
		v.Cause = "there is no address pool, or MetalLB's controller does not run"
		if s.Class != "" {
			v.Cause = "no controller serves loadBalancerClass " + s.Class + " (yet)"
		}
		return
	}
	v.Message += ": " + s.Refusal
	for _, known := range allocationFaults {
		if !known.pattern.MatchString(s.Refusal) {
			continue
		}
		v.Cause, v.Hint = known.cause, known.hint
		if known.final && s.Seconds >= allocationSeconds {
			v.State = health.Stuck
		}
		return
	}
}
