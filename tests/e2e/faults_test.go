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

// fault is one way in which a running platform breaks, and the expected message of its gates.
type fault struct {
	// name describes the fault in a sentence.
	name string
	// gate is the gate that is asked. One of its checks, which belongs to layer and is about
	// object, must name the cause, in its message or as its cause, and the fix.
	layer, gate, object, cause, fix string
	// on is the host where inject and heal run; empty means server-1.
	on, inject, heal string
	// visible is a script on server-1 that succeeds once the fault shows, such as in the kubelet's
	// pull or in the Node's condition. Empty: the fault shows at once.
	visible string
	// power are `lab machines` subcommands that break and repair the host from outside, instead of
	// inject and heal. outside are scripts for the same on this machine, which is on the hosts'
	// network.
	power, outside [2]string
	// patience bounds each question to a gate that has to wait for timeouts. Zero: 5 s.
	patience time.Duration
}

// suffered is a fault that was injected and that a gate named.
type suffered struct {
	fault
	said          string
	named, healed time.Duration
}

// gateSaid holds the fields that the story reads of a gate's result, as `strata health --json`
// prints it.
type gateSaid struct {
	Gate, Layer, Ending string
	Checks              []struct{ Check, State, Message, Cause, Hint string }
}

const (
	// faultNamedWithin is the promised time until a gate names a fault. `make bench-faults` checks
	// it.
	faultNamedWithin = 30 * time.Second
	// faultHealedWithin bounds the time until all gates are open again on a loaded machine.
	faultHealedWithin = 15 * time.Minute
	// showsWithin bounds the time until a fault shows. It is longer than the time for which the
	// kubelet waits for a container runtime that hangs (runtimeRequestTimeout: 2 minutes).
	showsWithin = 15 * time.Minute
	// faultQuestions bounds the number of questions until a fault is named.
	faultQuestions = 6
)

// sampledFaults has one fault each of a host, its access, the cluster, each layer and a workload,
// and three of the packets between nodes. They show and heal within seconds.
var sampledFaults = []string{
	"an agent is stopped and ends with an error", "sudo asks for a password",
	"an agent does not forward", "a firewall drops the packets of an agent's Pods",
	"a firewall drops an agent's kubelet port",
	"CoreDNS is scaled to 0", "the address pool is deleted", "the issuer is deleted",
	"an image does not exist",
}

// sampled returns the faults of a sample, in the order of the tables.
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

// breaks injects the faults, each after the previous one is healed, and returns the faults that
// were named and healed. within bounds the time until each is named; zero means no bound.
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

// breakBy runs the command that breaks (0) or mends (1).
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

// names asks the gate until it names the fault, and returns its message and the time since the
// fault became visible. The gate must not be open during the fault. A fault that is not named in
// time fails the row, which still heals it. If within is zero, each question lasts longer than the
// previous one, because a slow machine may not have observed the fault in time.
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
		time.Sleep(200 * time.Millisecond) // what shows it is different for each fault
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

// asks asks the fault's gate once, as the owner of the stack does.
func (s *stack) asks(f fault) (gates []gateSaid, raw string) {
	cmd := s.command(root, strata, "health", "--stack", s.name, "--config-file", s.config, "--json",
		"--gate", f.gate, "--timeout", f.lasts().String())
	output, _ := cmd.Output() // it fails: the gate is not open
	if json.Unmarshal(output, &gates) != nil {
		gates = nil
	}
	return gates, string(output)
}

// lasts returns the duration of a question.
func (f fault) lasts() time.Duration {
	if f.patience == 0 {
		return 5 * time.Second
	}
	return f.patience
}

// saidBy returns the verdict that names the fault, in one line. It is empty if no verdict does.
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

// heals waits until every gate of the stack is open, without manual action.
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
