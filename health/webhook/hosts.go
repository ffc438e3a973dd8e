package webhook

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"strata/health"
	"strata/health/host"
	"strata/health/observe"
)

// connectionTo returns a test that connects to the webhook's Service. address is IP:port, as
// observeAddress returns it.
func connectionTo(s Spec, address string) host.Connection {
	return host.Connection{Address: strings.Trim(strings.TrimSuffix(address,
		":"+strconv.Itoa(s.Port)), "[]"), Ports: []int{s.Port}}
}

// judgeHosts judges for each host whether it reaches the webhook's address. kube-proxy runs on each
// host, so one host and its API server may be late.
func judgeHosts(spec Spec, f host.HostsFacts, after []string) []health.Verdict {
	if f.Skipped != "" {
		return []health.Verdict{{Check: "webhook from hosts", State: health.Skipped,
			Message: f.Skipped}}
	}
	verdicts := make([]health.Verdict, 0, len(f.Runs))
	for _, run := range f.Runs {
		v := judgeHostRun(spec, f.Address, run)
		v.Check, v.After = "webhook from "+run.Host, after
		verdicts = append(verdicts, v)
	}
	return verdicts
}

func judgeHostRun(spec Spec, address string, run host.Run) health.Verdict {
	v := health.Verdict{State: health.Waiting}
	switch {
	case address == "":
		v.Message = fmt.Sprintf("Service %s/%s has no ClusterIP yet", spec.Namespace, spec.Service)
		return v
	case run.Fault != "":
		v.Message = "the host cannot be asked: " + run.Fault
		return v
	case !run.Seen:
		v.Message = "not asked yet"
		return v
	case run.HasPassed():
		return health.Verdict{State: health.Ready}
	}
	v.Message, v.Evidence = address+" refuses connections", []string{run.Evidence()}
	v.Cause = "kube-proxy on the host has not seen the endpoint, or the Pod does not listen"
	v.Hint = "on " + run.Host + ": " + run.Command
	if run.Code == host.TimedOut {
		v.Message = address + " does not answer in time"
		v.Cause = "network fault between " + run.Host + " and the webhook's Pod: Pod network or a firewall"
	}
	return v
}

// askHosts makes the hosts connect to the Service's present address, again and again until ctx
// ends.
func (w *webhookWatch) askHosts(ctx context.Context, news chan<- struct{}) {
	host.FromHostsAt(ctx, w.hosts, w.key, w.moved, w.address,
		func(address string) host.Connection { return connectionTo(w.spec, address) },
		func(address string, runs []host.Run) { w.takeRuns(address, runs, news) })
}

// takeRuns stores the hosts' reports, unless the Service has a different address by now.
func (w *webhookWatch) takeRuns(address string, runs []host.Run, news chan<- struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.facts.Hosts.Address == address {
		w.runs = runs
		observe.Signal(news)
		// Once kube-proxy has set up the Service on a host, that host's API server can use it.
		if slices.ContainsFunc(runs, host.Run.HasPassed) {
			for _, p := range w.probes {
				p.retry()
			}
		}
	}
}

// address returns the Service's address at the last observation.
func (w *webhookWatch) address() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.facts.Hosts.Address
}
