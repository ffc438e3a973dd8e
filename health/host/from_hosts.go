package host

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"strata/health"
	"strata/health/observe"
)

// Connection is a connection test that runs on a host: connect to an IP Address at each of the TCP
// Ports, one after the other.
type Connection struct {
	Address string
	Ports   []int
}

// Command returns one attempt as a shell command, for a user to repeat on a host. It needs only
// programs that Debian and Ubuntu have.
func (c Connection) Command() string {
	if len(c.Ports) == 1 {
		return fmt.Sprintf("timeout 3 bash -c ': </dev/tcp/%s/%d'", c.Address, c.Ports[0])
	}
	return fmt.Sprintf(`for port in %s; do timeout 3 bash -c ": </dev/tcp/%s/$port" || exit; done`,
		c.portList(), c.Address)
}

func (c Connection) portList() string {
	texts := make([]string, len(c.Ports))
	for i, port := range c.Ports {
		texts[i] = strconv.Itoa(port)
	}
	return strings.Join(texts, " ")
}

// Run describes one host's last attempt.
type Run struct {
	Host string `json:"host"`
	// Command repeats the attempt if a user types it on the host.
	Command string `json:"command"`
	// Seen is false before the first result, and after an SSH fault.
	Seen bool `json:"seen"`
	// Fault is the error of SSH to the host; empty if SSH works. While Fault is set, Code and
	// Output are out of date.
	Fault string `json:"fault,omitempty"`
	Code  int    `json:"code"`
	// Output has the command's two output streams, at most 4,000 bytes.
	Output string `json:"output,omitempty"`
}

// Evidence returns the run as a shell would show it: prompt, command, exit code and output. If
// there is no result, it says why.
func (r Run) Evidence() string {
	switch {
	case r.Fault != "":
		return fmt.Sprintf("%s: %s", r.Host, r.Fault)
	case !r.Seen:
		return fmt.Sprintf("%s: not run yet: %s", r.Host, r.Command)
	}
	return fmt.Sprintf("%s# %s\nexit code %d\n%s", r.Host, r.Command, r.Code, r.Output)
}

// HasPassed reports whether the command ran and succeeded.
func (r Run) HasPassed() bool { return r.Seen && r.Fault == "" && r.Code == 0 }

// fromHosts makes every host connect repeatedly until ctx ends, over one SSH session each. Whenever
// a host's result changes, it reports the last attempts of all, in the order of hosts.
func fromHosts(
	ctx context.Context, hosts []health.Host, key []byte, to Connection, report func([]Run),
) {
	runs := make([]Run, len(hosts))
	for i, host := range hosts {
		runs[i] = Run{Host: host.Name, Command: to.Command()}
	}
	var mutex sync.Mutex
	update := func(i int, change func(*Run)) {
		mutex.Lock()
		defer mutex.Unlock()
		before := runs[i]
		change(&runs[i])
		if runs[i] != before {
			report(append([]Run(nil), runs...))
		}
	}
	script := WithSettings(connectScript,
		map[string]string{"address": to.Address, "ports": to.portList()})
	var all sync.WaitGroup
	for i, host := range hosts {
		all.Go(func() {
			Stream(ctx, host, key, script,
				func(b Block) {
					update(i, func(r *Run) {
						r.Seen = true
						r.Fault = ""
						r.Code = b.number("code")
						r.Output = strings.Join(b["output"], "\n")
					})
				},
				func(err error) {
					update(i,
						func(r *Run) { r.Seen, r.Fault = false, health.OneLine(err.Error()) })
				})
		})
	}
	all.Wait()
}

// FromHostsAt runs fromHosts for an address that may change. It calls present, which returns the
// current address, at intervals and when moved signals. While the address is empty, no host
// connects.
func FromHostsAt(
	ctx context.Context, hosts []health.Host, key []byte, moved <-chan struct{},
	present func() string,
	to func(address string) Connection, report func(address string, runs []Run),
) {
	Follow(ctx, moved, present, func(ctx context.Context, address string) {
		fromHosts(ctx, hosts, key, to(address), func(runs []Run) { report(address, runs) })
	})
}

// Follow runs ask with the text of present until ctx ends. It calls present at observe.Interval and
// when moved signals. If the text has changed, it cancels ask and starts it again with the new
// text; while the text is empty, ask does not run.
func Follow(
	ctx context.Context, moved <-chan struct{}, present func() string,
	ask func(ctx context.Context, what string),
) {
	stop, asked := func() {}, ""
	var asking sync.WaitGroup
	for ctx.Err() == nil {
		what := present()
		if what != asked {
			// Cancel also if the text is empty now. If the same text comes back, ask must start
			// again, because the hosts report changes only.
			stop()
			stop, asked = func() {}, what
			if what != "" {
				var at context.Context
				at, stop = context.WithCancel(ctx)
				asking.Go(func() { ask(at, what) })
			}
		}
		observe.WaitFor(ctx, moved, observe.Interval)
	}
	stop()
	asking.Wait()
}

// WhyNoHosts returns the reason why a gate cannot run checks on its hosts; empty if it can.
func WhyNoHosts(hosts []health.Host, key []byte) string {
	switch {
	case len(hosts) == 0:
		return "the gate names no host to observe from"
	case len(key) == 0:
		return NoKey
	}
	return ""
}

// NoKey is the message of a check that is Skipped because it needs SSH.
const NoKey = "no SSH key was given (STRATA_SSH_KEY), so no host can be asked"

// HostsFacts describes whether a gate's hosts can connect to a Service.
type HostsFacts struct {
	// Skipped is the reason why no host connects; empty if hosts connect.
	Skipped string `json:"skipped,omitempty"`
	// Address is the Service's ClusterIP and port, or the IP address of its load balancer; empty
	// while there is none.
	Address string `json:"address,omitempty"`
	Runs    []Run  `json:"runs,omitempty"`
}

// TimedOut is the exit code of timeout(1) for a command that took too long.
const TimedOut = 124

// NotAsked returns one Run for each host, without a result.
func NotAsked(hosts []health.Host) []Run {
	runs := make([]Run, 0, len(hosts))
	for _, host := range hosts {
		runs = append(runs, Run{Host: host.Name})
	}
	return runs
}
