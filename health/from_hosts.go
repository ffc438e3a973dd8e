package health

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// connection is what a host tries to reach: an IP address at some TCP ports, one after the other.
type connection struct {
	address string
	ports   []int
}

// command is one attempt, as it can be typed on a host. It needs nothing that Debian or Ubuntu do not have.
func (c connection) command() string {
	if len(c.ports) == 1 {
		return fmt.Sprintf("timeout 3 bash -c ': </dev/tcp/%s/%d'", c.address, c.ports[0])
	}
	return fmt.Sprintf(`for port in %s; do timeout 3 bash -c ": </dev/tcp/%s/$port" || exit; done`, c.portList(), c.address)
}

func (c connection) portList() string {
	texts := make([]string, len(c.ports))
	for i, port := range c.ports {
		texts[i] = strconv.Itoa(port)
	}
	return strings.Join(texts, " ")
}

// hostRun is the last attempt of one host.
type hostRun struct {
	Host string `json:"host"`
	// Command is what was tried, as it can be typed on the host.
	Command string `json:"command"`
	// Seen is false before the first run.
	Seen bool `json:"seen"`
	// Fault is why the host could not be asked; Code and Output are void then.
	Fault string `json:"fault,omitempty"`
	Code  int    `json:"code"`
	// Output is what the command wrote, both streams, at most 4,000 bytes.
	Output string `json:"output,omitempty"`
}

// evidence is the run as a person would have seen it.
func (r hostRun) evidence() string {
	switch {
	case r.Fault != "":
		return fmt.Sprintf("%s: %s", r.Host, r.Fault)
	case !r.Seen:
		return fmt.Sprintf("%s: not run yet: %s", r.Host, r.Command)
	}
	return fmt.Sprintf("%s# %s\nexit code %d\n%s", r.Host, r.Command, r.Code, r.Output)
}

// passed reports whether the command ran and succeeded.
func (r hostRun) passed() bool { return r.Seen && r.Fault == "" && r.Code == 0 }

// fromHosts has every host connect again and again until ctx ends, over one SSH session each, and reports the last attempt of
// each, in the hosts' order, whenever one of them changed. It is how a gate looks from where the servers are: a Service's address
// is reachable there first.
func fromHosts(ctx context.Context, hosts []Host, key []byte, to connection, report func([]hostRun)) {
	runs := make([]hostRun, len(hosts))
	for i, host := range hosts {
		runs[i] = hostRun{Host: host.Name, Command: to.command()}
	}
	var mutex sync.Mutex
	update := func(i int, change func(*hostRun)) {
		mutex.Lock()
		defer mutex.Unlock()
		before := runs[i]
		change(&runs[i])
		if runs[i] != before {
			report(append([]hostRun(nil), runs...))
		}
	}
	script := withSettings(connectScript, map[string]string{"address": to.address, "ports": to.portList()})
	var all sync.WaitGroup
	for i, host := range hosts {
		all.Go(func() {
			observeHost(ctx, host, key, script,
				func(b block) {
					update(i, func(r *hostRun) {
						r.Seen, r.Fault, r.Code, r.Output = true, "", b.number("code"), strings.Join(b["output"], "\n")
					})
				},
				func(err error) { update(i, func(r *hostRun) { r.Seen, r.Fault = false, oneLine(err.Error()) }) })
		})
	}
	all.Wait()
}

// fromHostsAt is fromHosts for an address that may move: it asks for a connection to the present address until moved says that
// there is another one. An empty address is none yet.
func fromHostsAt(
	ctx context.Context, hosts []Host, key []byte, moved <-chan struct{}, present func() string,
	to func(address string) connection, report func(address string, runs []hostRun),
) {
	stop, asked := func() {}, ""
	var asking sync.WaitGroup
	for ctx.Err() == nil {
		address := present()
		if address != asked {
			// Also where it is gone: should the same one come back, it is asked anew, because a host says only what changes.
			stop()
			stop, asked = func() {}, ""
		}
		if address != "" && address != asked {
			var at context.Context
			at, stop = context.WithCancel(ctx)
			asked = address
			asking.Go(func() {
				fromHosts(at, hosts, key, to(address), func(runs []hostRun) { report(address, runs) })
			})
		}
		waitFor(ctx, moved, relook)
	}
	stop()
	asking.Wait()
}

// whyNoHosts says why a gate cannot look from its hosts; empty where it can.
func whyNoHosts(hosts []Host, key []byte) string {
	switch {
	case len(hosts) == 0:
		return "the gate names no host to look from"
	case len(key) == 0:
		return noKey
	}
	return ""
}
