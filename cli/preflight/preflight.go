package preflight

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"strata/health"
	"strata/health/host"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/silence"
)

// maxPoolProbes bounds the number of probed addresses. If the pool is larger, only its first
// addresses are probed.
const maxPoolProbes = 256

// Host is one existing host.
type Host struct {
	Host health.Host
	Spec host.Spec
	// Key is the PEM private key that logs in.
	Key []byte
	// Ports are the ports of this host that other nodes, in Subnet, must reach.
	Ports  []Port
	Subnet netip.Prefix
}

// Finding is one verdict of a preflight. Subject is a host's name, allHosts, or the name of the
// hypervisor or cluster.
type Finding struct {
	Subject string `json:"subject"`
	health.Verdict
}

// allHosts is the Subject of a finding that compares several hosts.
const allHosts = "all hosts"

// Hosts observes all hosts in parallel, and reports problems before the first change. It runs each
// host's own gate, compares values that must differ between hosts, and probes the pool's addresses.
// It stops waiting when the hosts have printed nothing for limit.
func Hosts(ctx context.Context, hosts []Host, pool []netip.Addr, limit time.Duration) []Finding {
	hosts = slices.Clone(hosts)
	reports, verdicts := make([]host.Report, len(hosts)), make([][]health.Verdict, len(hosts))
	looking, stop := silence.With(ctx, limit)
	defer stop()
	var all sync.WaitGroup
	for i := range hosts {
		all.Go(func() { reports[i], verdicts[i] = firstObservation(looking, &hosts[i]) })
	}
	all.Wait()
	var findings []Finding
	for i, host := range hosts {
		for _, v := range verdicts[i] {
			findings = append(findings, Finding{host.Host.Name, v})
		}
		if reports[i].Reached {
			findings = append(findings, Finding{host.Host.Name,
				judgeFirewall(host, reports[i].Probe)})
		}
	}
	for _, v := range append(judgeFleet(reports), poolSilence(ctx, hosts, reports, pool, limit)) {
		findings = append(findings, Finding{allHosts, v})
	}
	return findings
}

// firstObservation runs a host's gate once. If no host key is pinned, it accepts the key that the
// host presents and sends no password. It does not store this key: the next update makes its own
// first contact.
func firstObservation(ctx context.Context, h *Host) (report host.Report,
	verdicts []health.Verdict) {
	report, verdicts = host.Report{Name: h.Host.Name}, host.JudgeHost(h.Host, h.Spec, host.Facts{})
	pinned, err := remote.Dialer{PrivateKey: h.Key}.FirstContact(ctx, h.Host.Target)
	if err != nil {
		return report, host.JudgeHost(h.Host, h.Spec, host.Facts{Fault: err})
	}
	silence.Heard(ctx)
	h.Host.Target = pinned
	host.Observe(ctx, h.Host, h.Spec, h.Key, true,
		func(r host.Report, v []health.Verdict) { report, verdicts = r, v })
	return report, verdicts
}

// poolSilence probes the pool's addresses from the first host that was reached. It stops waiting
// when that host has printed nothing for limit.
func poolSilence(
	ctx context.Context, hosts []Host, reports []host.Report, pool []netip.Addr,
	limit time.Duration,
) health.Verdict {
	const check = "pool addresses"
	if len(pool) == 0 {
		return health.Verdict{Check: check, State: health.Skipped, Message: "no pool is configured"}
	}
	settings := map[string]string{"addresses": joinAddrs(pool[:min(len(pool), maxPoolProbes)]),
		"nodes": nodeAddresses(hosts)}
	for i, h := range hosts {
		if !reports[i].Reached {
			continue
		}
		bounded, stop := silence.With(ctx, limit)
		defer stop()
		result := health.Verdict{Check: check, State: health.Waiting,
			Message: "the observation from " + h.Host.Name + " did not end in time"}
		host.Stream(bounded, h.Host, h.Key, host.WithSettings(host.PoolScript, settings),
			func(b host.Block) {
				result = judgePoolSilence(h.Host.Name, len(pool), b)
				stop()
			}, func(err error) { result.Message = health.OneLine(err.Error()) })
		result.Check = check
		return result
	}
	return health.Verdict{Check: check, State: health.Waiting,
		Message: "no host was reached that could ask for them", After: []string{"ssh"}}
}

func joinAddrs(addresses []netip.Addr) string {
	words := make([]string, len(addresses))
	for i, address := range addresses {
		words[i] = address.String()
	}
	return strings.Join(words, " ")
}

func nodeAddresses(hosts []Host) string {
	words := make([]string, len(hosts))
	for i, host := range hosts {
		words[i] = host.Host.Address
	}
	return strings.Join(words, " ")
}

// judgePoolSilence passes if no pool address answers. It also passes if only the cluster's own
// nodes answer, because they announce these addresses after the first run.
func judgePoolSilence(from string, size int, b host.Block) health.Verdict {
	if lacks := b.Get("lacks"); lacks != "" {
		return health.Verdict{State: health.Skipped,
			Message: from + " lacks " + lacks + " to ask for them"}
	}
	ours := map[string]bool{}
	for _, mac := range b["ours"] {
		ours[mac] = true
	}
	var taken []string
	for _, line := range b["answers"] {
		address, mac, _ := strings.Cut(line, " ")
		if !ours[mac] {
			taken = append(taken, address+" ("+mac+")")
		}
	}
	if len(taken) > 0 {
		return health.Verdict{State: health.Stuck,
			Message: "expected silent or held by this cluster, answered by others: " +
				strings.Join(taken, ", "),
			Cause:    "another device has the address; MetalLB would announce it a second time",
			Hint:     "choose another range in strata:metallb.addresses, or take the device off it",
			Evidence: []string{"on " + from + ": ping each address, then ip neigh"}}
	}
	return health.Verdict{State: health.Ready,
		Message: fmt.Sprintf("%d asked from %s, none is held by others",
			min(size, maxPoolProbes), from)}
}

// judgeFleet compares the hosts that were reached: their names and machine-ids must differ, and
// their clocks must agree.
func judgeFleet(reports []host.Report) []health.Verdict {
	var reached []host.Report
	for _, report := range reports {
		if report.Reached {
			reached = append(reached, report)
		}
	}
	verdicts := []health.Verdict{
		unique("hostnames", reached, func(r host.Report) string {
			return r.Hostname
		}, "hostnamectl set-hostname NAME on each of them"),
		unique("machine-ids", reached, func(r host.Report) string { return r.MachineID },
			"they are clones: rm /etc/machine-id /var/lib/dbus/machine-id; "+
				"systemd-machine-id-setup; reboot, on all but one"),
		together(reached, host.MaxClockSkew),
	}
	for i := range verdicts {
		if verdicts[i].State == health.Ready && len(reached) < len(reports) {
			verdicts[i].State, verdicts[i].After = health.Waiting, []string{"ssh"}
			verdicts[i].Message = fmt.Sprintf("%d of %d hosts were reached", len(reached),
				len(reports))
		}
	}
	return verdicts
}

// unique fails if two hosts have the same value.
func unique(
	check string, reports []host.Report, value func(host.Report) string, hint string,
) health.Verdict {
	owners := map[string][]string{}
	for _, report := range reports {
		owners[value(report)] = append(owners[value(report)], report.Name)
	}
	var shared []string
	for what, names := range owners {
		if len(names) > 1 {
			shared = append(shared, fmt.Sprintf("%s share %q", strings.Join(names, ", "), what))
		}
	}
	sort.Strings(shared)
	if len(shared) > 0 {
		return health.Verdict{Check: check, State: health.Stuck,
			Message: "expected one of its own for each host: " + strings.Join(shared, "; "),
			Hint:    hint}
	}
	return health.Verdict{Check: check, State: health.Ready, Message: "all differ"}
}

// together compares each host's clock with the median of all clocks, so that it names the wrong
// clock if only one is wrong.
func together(reports []host.Report, limit time.Duration) health.Verdict {
	v := health.Verdict{Check: "clocks", State: health.Ready,
		Message: "all within " + limit.String() + " of the median host's"}
	if len(reports) == 0 {
		return v
	}
	skews := make([]time.Duration, len(reports))
	for i, report := range reports {
		skews[i] = report.Skew
	}
	sort.Slice(skews, func(i, j int) bool { return skews[i] < skews[j] })
	median := skews[len(skews)/2]
	var off []string
	for _, report := range reports {
		if difference := report.Skew - median; difference.Abs() > limit {
			off = append(off, fmt.Sprintf("%s (%s)", report.Name, difference))
		}
	}
	if len(off) > 0 {
		v.State = health.Stuck
		v.Message = "expected within " + limit.String() + " of the median host's: " + strings.Join(off, ", ")
		v.Hint = "timedatectl set-ntp true on them, or install chrony"
	}
	return v
}
