package health

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// hostsFacts is how the webhook's Service looks from the hosts of the API servers, which call it from there.
type hostsFacts struct {
	// Skipped says why no host is asked; empty where they are.
	Skipped string `json:"skipped,omitempty"`
	// Address is the Service's ClusterIP and port; empty while it has none.
	Address string    `json:"address,omitempty"`
	Runs    []hostRun `json:"runs,omitempty"`
}

// timedOut is timeout(1)'s exit code.
const timedOut = 124

// connectionTo is the webhook's Service at an address as lookAddress joins it.
func connectionTo(s WebhookSpec, address string) connection {
	return connection{address: strings.Trim(strings.TrimSuffix(address, ":"+strconv.Itoa(s.Port)), "[]"), ports: []int{s.Port}}
}

// judgeHosts says for each host whether the webhook's address answers there. kube-proxy programs each host by itself, so one
// of them can be behind, and its API server with it.
func judgeHosts(spec WebhookSpec, f hostsFacts, after []string) []Verdict {
	if f.Skipped != "" {
		return []Verdict{{Check: "webhook from hosts", State: Skipped, Message: f.Skipped}}
	}
	verdicts := make([]Verdict, 0, len(f.Runs))
	for _, run := range f.Runs {
		v := judgeHostRun(spec, f.Address, run)
		v.Check, v.After = "webhook from "+run.Host, after
		verdicts = append(verdicts, v)
	}
	return verdicts
}

func judgeHostRun(spec WebhookSpec, address string, run hostRun) Verdict {
	v := Verdict{State: Waiting}
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
	case run.passed():
		return Verdict{State: Ready}
	}
	v.Message, v.Evidence = address+" refuses connections", []string{run.evidence()}
	v.Cause = "kube-proxy on the host has not seen the endpoint, or the Pod does not listen"
	v.Hint = "on " + run.Host + ": " + run.Command
	if run.Code == timedOut {
		v.Message, v.Cause = address+" does not answer in time", "network fault between "+run.Host+" and the webhook's Pod: Pod network or a firewall"
	}
	return v
}

// askHosts keeps asking the hosts at the Service's present address, until ctx ends.
func (w *webhookWatch) askHosts(ctx context.Context, news chan<- struct{}) {
	fromHostsAt(ctx, w.hosts, w.key, w.moved, w.address, func(address string) connection { return connectionTo(w.spec, address) },
		func(address string, runs []hostRun) { w.takeRuns(address, runs, news) })
}

// takeRuns stores what the hosts said, unless the Service has another address by now.
func (w *webhookWatch) takeRuns(address string, runs []hostRun, news chan<- struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.facts.Hosts.Address == address {
		w.runs = runs
		signal(news)
		// What a host's kube-proxy has taken up, its API server can use from now on.
		if slices.ContainsFunc(runs, hostRun.passed) {
			for _, p := range w.probes {
				p.unblocked()
			}
		}
	}
}

// address is the Service's address as of the last look.
func (w *webhookWatch) address() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.facts.Hosts.Address
}

// notAsked are the runs of hosts that were not asked yet.
func notAsked(hosts []Host) []hostRun {
	runs := make([]hostRun, 0, len(hosts))
	for _, host := range hosts {
		runs = append(runs, hostRun{Host: host.Name})
	}
	return runs
}
