package address

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"strata/health"
	"strata/health/host"
	"strata/health/observe"
)

// judgeDials returns Ready if there is an address and the last connection to every port succeeded.
func judgeDials(spec Spec, address string, dials []dialFacts) health.Verdict {
	v := health.Verdict{State: health.Waiting}
	var refused []string
	var way observe.Way
	for _, port := range spec.Ports {
		at := slices.IndexFunc(dials, func(d dialFacts) bool { return d.Port == port })
		switch {
		case at < 0 || !dials[at].Seen:
			refused = append(refused, fmt.Sprintf("port %d not tried yet", port))
		case dials[at].Error != "":
			way = cmp.Or(way, dials[at].Way)
			refused = append(refused, fmt.Sprintf("port %d: %s", port, dials[at].Error))
		}
	}
	if address != "" && len(refused) == 0 {
		return health.Verdict{State: health.Ready}
	}
	v.Message = observe.OrNone(address) + ": " + strings.Join(refused, ", ")
	v.Cause, v.Hint = ExplainUnreachable(v.Message, address, way)
	return v
}

// unannounced is the cause if nothing answers at an address.
const unannounced = "no node answers for the address (MetalLB's speaker, L2Advertisement), or a firewall drops it"

// judgeLocal adds externalTrafficPolicy Local to the cause of an address that no node announces.
// With this policy, a node announces the address only if it has a ready Pod and a speaker (metallb
// speaker/layer2_controller.go, ShouldAnnounce).
func judgeLocal(here health.Verdict, s ServiceSeen) health.Verdict {
	if s.Local && here.Cause == unannounced {
		here.Cause += "; with externalTrafficPolicy Local only a node with a ready Pod of the " +
			"Service and a speaker does"
	}
	return here
}

// ExplainUnreachable returns cause and fix of a failed connection: no node announces the address,
// no Pod listens at the port, or the tunnel or proxy failed. Both are empty for another error.
func ExplainUnreachable(message, address string, way observe.Way) (cause, hint string) {
	switch {
	case way.Down():
		return way.Cause, way.Hint
	case strings.Contains(message, "refused"):
		return "the address is announced, but no Pod listens on that port",
			"compare the Service's ports and targetPorts with the Pods'"
	case strings.Contains(message, "timeout") || strings.Contains(message, "no route to host"):
		return unannounced, "kubectl get servicel2statuses -A; on the same network: arping " + address
	}
	return "", ""
}

func judgeAddressFromHosts(f host.HostsFacts, after []string) []health.Verdict {
	if f.Skipped != "" {
		return []health.Verdict{{Check: "address from hosts", State: health.Skipped,
			Message: f.Skipped}}
	}
	verdicts := make([]health.Verdict, 0, len(f.Runs))
	for _, run := range f.Runs {
		verdicts = append(verdicts, judgeAddressRun(f.Address, run, after))
	}
	return verdicts
}

func judgeAddressRun(address string, run host.Run, after []string) health.Verdict {
	v := health.Verdict{Check: "address from " + run.Host, State: health.Waiting, After: after}
	switch {
	case run.Fault != "":
		v.Message = "the host cannot be asked: " + run.Fault
	case address == "" || !run.Seen:
		v.Message = "not asked yet"
	case run.HasPassed():
		return health.Verdict{Check: v.Check, State: health.Ready, After: after}
	default:
		v.Message, v.Evidence = address+" refuses connections", []string{run.Evidence()}
		if run.Code == host.TimedOut {
			v.Message = address + " does not answer in time"
		}
		v.Cause = "kube-proxy on the host has not seen the address or its endpoints yet"
		v.Hint = "on " + run.Host + ": " + run.Command
	}
	return v
}
