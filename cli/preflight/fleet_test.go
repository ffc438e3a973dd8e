package preflight

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/host"
	"strata/internal/ssh/remote/sshtest"
)

func TestPreflightReportsDuplicateHostsAndWrongClocks(t *testing.T) {
	a := host.Report{Name: "a", Hostname: "a", MachineID: "1", Reached: true}
	b := host.Report{Name: "b", Hostname: "b", MachineID: "2", Reached: true}
	c := host.Report{Name: "c", Hostname: "c", MachineID: "3", Reached: true}
	clone, late, gone := b, c, c
	clone.Hostname, clone.MachineID = "a", "1"
	late.Skew = 10 * time.Minute
	edge, behind := c, b
	edge.Skew, behind.Skew = host.MaxClockSkew, -10*time.Minute
	gone.Reached = false
	for _, test := range []struct {
		name    string
		reports []host.Report
		want    []health.State
	}{
		{"different hosts pass", []host.Report{a, b, c},
			[]health.State{health.Ready, health.Ready, health.Ready}},
		{"a clone shares name and machine-id", []host.Report{a, clone, c},
			[]health.State{health.Stuck, health.Stuck, health.Ready}},
		{"the one wrong clock is named", []host.Report{a, b, late},
			[]health.State{health.Ready, health.Ready, health.Stuck}},
		{"a clock at the limit passes", []host.Report{a, b, edge},
			[]health.State{health.Ready, health.Ready, health.Ready}},
		{"a host that was not reached leaves all checks waiting", []host.Report{a, b, gone},
			[]health.State{health.Waiting, health.Waiting, health.Waiting}},
		{"no host was reached", []host.Report{gone},
			[]health.State{health.Waiting, health.Waiting, health.Waiting}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var states []health.State
			for _, v := range judgeFleet(test.reports) {
				states = append(states, v.State)
			}
			assert.Equal(t, test.want, states)
		})
	}
	assert.Contains(t, judgeFleet([]host.Report{a, b, late})[2].Message, "c (10m0s)")
	assert.Contains(t, judgeFleet([]host.Report{a, behind})[2].Message, ": b (-10m0s)",
		"of two, the one that is behind: a clock without a battery is")
	assert.Contains(t, judgeFleet([]host.Report{a, clone, c})[0].Message, `a, b share "a"`)
}

func TestPoolAddressesInUseAreReported(t *testing.T) {
	for _, test := range []struct {
		name string
		seen host.Block
		want health.State
	}{
		{"silent addresses pass", host.Block{"ours": {"02:00:00:00:00:01"}}, health.Ready},
		{"addresses of the cluster's own nodes pass",
			host.Block{"ours": {"02:00:00:00:00:01"}, "answers": {"10.10.0.200 02:00:00:00:00:01"}},
			health.Ready},
		{"an address of another machine fails",
			host.Block{"ours": {"02:00:00:00:00:01"}, "answers": {"10.10.0.200 02:00:00:00:00:09"}},
			health.Stuck},
		{"a host without the tools is skipped", host.Block{"lacks": {"ping or ip"}},
			health.Skipped},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, judgePoolSilence("a", 11, test.seen).State)
		})
	}
}

func TestPreflightObservesOtherHostsDespiteFailingHost(t *testing.T) {
	up, down := sshtest.Start(t), sshtest.Start(t)
	up.Handler = healthtest.Probing(healthtest.HealthyNow(nil))
	down.Handler = func(sshtest.Call) int { return 1 }
	hosts := []Host{
		{Host: health.Host{Target: up.Target(), Role: "agent"},
			Spec: host.Needs("agent", false, false), Key: up.PrivateKey()},
		{Host: health.Host{Target: down.Target(), Role: "agent"},
			Spec: host.Needs("agent", false, false), Key: down.PrivateKey()},
	}
	hosts[0].Host.Name, hosts[1].Host.Name = "up", "down"
	hosts[0].Host.HostKey = "" // not pinned: the preflight makes the first contact
	states := map[string]health.State{}
	for _, f := range Hosts(t.Context(), hosts, []netip.Addr{netip.MustParseAddr("10.10.0.200")}, 3*time.Second) {
		states[f.Subject+" "+f.Check] = f.State
	}
	assert.Equal(t, health.Ready, states["up ssh"])
	assert.Equal(t, health.Ready, states["up cloud-init"])
	assert.Equal(t, health.Ready, states["up K3s certificates"])
	assert.NotContains(t, states, "down K3s certificates", "nothing is known of it")
	assert.Equal(t, health.Waiting, states["down ssh"])
	assert.Equal(t, health.Waiting, states["all hosts hostnames"])
}

// Each line of a slow host shows progress, so the limit must not end the probe.
func TestPoolProbeOutlastsTimeoutWhileHostMakesProgress(t *testing.T) {
	const limit = 3 * time.Second
	slow := sshtest.Start(t)
	slow.Handler = func(call sshtest.Call) int {
		if !strings.Contains(call.Script, host.PoolScript) {
			return healthtest.Probing(healthtest.HealthyNow(nil))(call)
		}
		for range 6 {
			_, _ = fmt.Fprintln(call.Stdout, "asks=10.10.0.200")
			time.Sleep(limit / 4)
		}
		return healthtest.Probing(map[string][]string{"ours": {"52:54:00:00:00:01"}})(call)
	}
	hosts := []Host{{Host: health.Host{Target: slow.Target(), Role: "agent"},
		Spec: host.Needs("agent", false, false), Key: slow.PrivateKey()}}
	findings := Hosts(t.Context(), hosts, []netip.Addr{netip.MustParseAddr("10.10.0.200")}, limit)
	last := findings[len(findings)-1]
	assert.Equal(t, "pool addresses", last.Check)
	assert.Equal(t, health.Ready, last.State, last.Message)
}

// A probe that prints a line and fails, again and again, makes no progress.
func TestPreflightGivesUpOnRepeatedlyFailingProbe(t *testing.T) {
	broken := sshtest.Start(t)
	broken.Handler = func(call sshtest.Call) int {
		_, _ = fmt.Fprintln(call.Stdout, "hostname=a")
		return 1
	}
	hosts := []Host{{Host: health.Host{Target: broken.Target(), Role: "agent"},
		Spec: host.Needs("agent", false, false), Key: broken.PrivateKey()}}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	assert.Equal(t, health.Waiting, Hosts(ctx, hosts, nil, time.Second)[0].State)
	assert.NoError(t, ctx.Err())
}
