package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fault is a fault of a running platform, with the message that a gate must print.
type fault struct {
	// name describes the fault in a sentence.
	name string
	// gate is the gate that must name the fault. One of its checks, which belongs to layer and
	// concerns object, must contain cause and fix.
	layer, gate, object, cause, fix string
	// inject and heal are scripts on the host named on; empty means server-1.
	on, inject, heal string
	// visible is a script on server-1 that succeeds once Kubernetes shows the fault, for example in
	// the Node's condition. If it is empty, the fault shows at once.
	visible string
	// power has `lab machines` subcommands that break and repair the host from outside, instead of
	// inject and heal. outside has scripts for this machine that do so through the hosts' network.
	power, outside [2]string
	// patience is the timeout of each run of a gate that itself waits for timeouts. Zero: 5 s.
	patience time.Duration
}

// suffered is a fault that was injected and named, with the times until it was named and healed.
type suffered struct {
	fault
	said          string
	named, healed time.Duration
}

// gateSaid has the fields of a gate's result in `strata health --json` that the story reads.
type gateSaid struct {
	Gate, Layer, Ending string
	Checks              []struct{ Check, State, Message, Cause, Hint string }
}

const (
	// faultNamedWithin is the target for the time until a gate names a fault. `make bench-faults`
	// checks it.
	faultNamedWithin = 30 * time.Second
	// faultHealedWithin is the timeout until all gates are open again, on a loaded machine.
	faultHealedWithin = 15 * time.Minute
	// showsWithin is the timeout until a fault shows. It is longer than the kubelet waits for a
	// container runtime that hangs (runtimeRequestTimeout: 2 minutes).
	showsWithin = 15 * time.Minute
	// faultQuestions is the number of runs after which a gate must have named a fault.
	faultQuestions = 6
)

// sampledFaults has one fault each of a host, its access, the cluster, each layer and a workload,
// and three faults of packets between nodes. These faults show and heal in seconds.
var sampledFaults = []string{
	"an agent is stopped and ends with an error", "sudo asks for a password",
	"an agent does not forward", "a firewall drops the packets of an agent's Pods",
	"a firewall drops an agent's kubelet port",
	"CoreDNS is scaled to 0", "the address pool is deleted", "the issuer is deleted",
	"an image does not exist",
}

// sampled returns the faults in sampledFaults, in the order of the tables.
func sampled(t *testing.T) []fault {
	t.Helper()
	faults := slices.DeleteFunc(allFaults(),
		func(f fault) bool { return !slices.Contains(sampledFaults, f.name) })
	require.Len(t, faults, len(sampledFaults))
	return faults
}

func allFaults() []fault {
	return slices.Concat(hostFaults, clusterFaults, layerFaults, rightsFaults, workloadFaults)
}

// breaks injects faults, each after the previous one is healed. It returns the faults that were
// named and healed. within is the timeout until a fault is named; zero means none.
func (s *stack) breaks(
	t *testing.T, hosts *hostSet, within time.Duration, faults []fault,
) (done []suffered) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			one := suffered{fault: f}
			require.NoError(t, hosts.breakBy(f, 0))
			one.said, one.named = s.names(t, hosts, within, f)
			require.NoError(t, hosts.breakBy(f, 1))
			one.healed = s.heals(t)
			t.Logf("named after %s, healed after %s: %s", one.named.Round(time.Second),
				one.healed.Round(time.Second), one.said)
			if !t.Failed() {
				done = append(done, one)
			}
		})
	}
	return done
}

// breakBy runs the command of f that breaks (which: 0) or repairs (which: 1) the host.
func (l *hostSet) breakBy(f fault, which int) error {
	host := f.on
	if host == "" {
		host = "server-1"
	}
	if f.power[which] != "" {
		output, err := exec.Command(lab,
			append(append([]string{"machines"}, strings.Fields(f.power[which])...),
				l.machine(host))...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s %s: %w: %s", f.power[which], host, err, output)
		}
		return nil
	}
	if f.outside[which] != "" {
		output, err := exec.Command("sh", "-euc", f.outside[which]).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", f.outside[which], err, output)
		}
		return nil
	}
	script := []string{f.inject, f.heal}[which]
	if output, err := l.on(host, "set -eu\n"+script); err != nil {
		return fmt.Errorf("%s on %s: %w: %s", script, host, err, output)
	}
	return nil
}

// names runs the gate until it names the fault. It returns the gate's message and the time since
// the fault became visible. The gate must not open during the fault. If the fault is not named in
// time, the row fails, and the fault is healed nevertheless. If within is zero, each run of the
// gate lasts longer than the previous one, because a slow machine may not have observed the fault
// in time.
func (s *stack) names(t *testing.T, hosts *hostSet, within time.Duration, f fault) (said string,
	took time.Duration) {
	for started := time.Now(); f.visible != ""; {
		if _, err := hosts.on("server-1", f.visible); err == nil {
			break
		}
		if time.Since(started) > showsWithin {
			t.Errorf("it does not show: %s", f.visible)
			return "", 0
		}
		time.Sleep(200 * time.Millisecond) // no single watch covers all kinds of faults
	}
	visible := time.Now()
	for asked := 1; ; asked++ {
		gates, raw := s.asks(f)
		took = time.Since(visible)
		for _, gate := range gates {
			if gate.Ending == "open" {
				t.Errorf("gate %s is open %s after the fault could be seen", gate.Gate,
					took.Round(time.Second))
				return "", took
			}
			if said = f.saidBy(gate); said != "" {
				if within > 0 && took > within {
					t.Errorf("named after %s", took.Round(time.Second))
				}
				return said, took
			}
		}
		if within > 0 && took > 2*within || within == 0 && asked == faultQuestions {
			t.Errorf("not named within %s and %d questions; the gate says\n%s",
				took.Round(time.Second), asked, raw)
			return "", took
		}
		if within == 0 {
			f.patience = 2 * f.lasts()
		}
	}
}

// asks runs the fault's gate once, as the owner of the stack.
func (s *stack) asks(f fault) (gates []gateSaid, raw string) {
	cmd := s.command(root, strata, "health", "--stack", s.name, "--config-file", s.config, "--json",
		"--gate", f.gate, "--timeout", f.lasts().String())
	output, _ := cmd.Output() // it fails, because the gate is not open
	if json.Unmarshal(output, &gates) != nil {
		gates = nil
	}
	return gates, string(output)
}

// lasts returns the timeout of one run of the fault's gate.
func (f fault) lasts() time.Duration {
	if f.patience == 0 {
		return 5 * time.Second
	}
	return f.patience
}

// saidBy returns the check that names the fault, as one line; empty if there is none.
func (f fault) saidBy(gate gateSaid) string {
	for _, v := range gate.Checks {
		if v.State == "Ready" || v.State == "Skipped" || gate.Layer != f.layer ||
			!strings.Contains(v.Check, f.object) || !strings.Contains(v.Hint, f.fix) {
			continue
		}
		said := v.Message
		if v.Cause != "" {
			said += "; cause: " + v.Cause
		}
		if strings.Contains(said, f.cause) {
			return fmt.Sprintf("%s: %s; fix: %s", v.Check, said, v.Hint)
		}
	}
	return ""
}

// heals waits until every gate of the stack is open, without manual action, and returns the time
// that it took.
func (s *stack) heals(t *testing.T) time.Duration {
	gone := time.Now()
	for {
		r := s.health("--timeout", silence.String())
		if r.err == nil {
			return time.Since(gone)
		}
		if time.Since(gone) > faultHealedWithin {
			require.NoError(t, r.err, "not healed after %s\n%s", faultHealedWithin, r.output)
		}
	}
}
