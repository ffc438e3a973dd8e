package health

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/internal/remote/sshtest"
)

func TestHostsAreComparedWithEachOther(t *testing.T) {
	a := HostReport{Name: "a", Hostname: "a", MachineID: "1", Reached: true}
	b := HostReport{Name: "b", Hostname: "b", MachineID: "2", Reached: true}
	c := HostReport{Name: "c", Hostname: "c", MachineID: "3", Reached: true}
	clone, late, gone := b, c, c
	clone.Hostname, clone.MachineID = "a", "1"
	late.Skew = 10 * time.Minute
	gone.Reached = false
	for _, test := range []struct {
		name    string
		reports []HostReport
		want    []State
	}{
		{"different hosts pass", []HostReport{a, b, c}, []State{Ready, Ready, Ready}},
		{"a clone shares name and machine-id", []HostReport{a, clone, c}, []State{Stuck, Stuck, Ready}},
		{"the one wrong clock is named", []HostReport{a, b, late}, []State{Ready, Ready, Stuck}},
		{"what was not reached is not judged", []HostReport{a, b, gone}, []State{Waiting, Waiting, Waiting}},
		{"no host at all is not ready", []HostReport{gone}, []State{Waiting, Waiting, Waiting}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var states []State
			for _, v := range judgeFleet(test.reports) {
				states = append(states, v.State)
			}
			assert.Equal(t, test.want, states)
		})
	}
	assert.Contains(t, judgeFleet([]HostReport{a, b, late})[2].Message, "c (10m0s)")
	assert.Contains(t, judgeFleet([]HostReport{a, clone, c})[0].Message, `a, b share "a"`)
}

func TestPoolAddresses(t *testing.T) {
	for _, test := range []struct {
		name string
		look block
		want State
	}{
		{"silent ones pass", block{"ours": {"02:00:00:00:00:01"}}, Ready},
		{"ours on a later run pass", block{"ours": {"02:00:00:00:00:01"}, "answers": {"10.10.0.200 02:00:00:00:00:01"}}, Ready},
		{"one of somebody else does not", block{"ours": {"02:00:00:00:00:01"}, "answers": {"10.10.0.200 02:00:00:00:00:09"}}, Stuck},
		{"a host without the tools is skipped", block{"lacks": {"ping or ip"}}, Skipped},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, judgePoolSilence("a", 11, test.look).State)
		})
	}
}

func TestAPreflightFindsTheHostThatDoesNotAnswerAndStillLooksAtTheOthers(t *testing.T) {
	up, down := sshtest.Start(t), sshtest.Start(t)
	up.Handler = probing(now(nil))
	down.Handler = func(sshtest.Call) int { return 1 }
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	hosts := []PreflightHost{
		{Host: Host{Target: up.Target(), Role: "agent"}, Spec: *HostNeeds("agent", false, false), Key: up.PrivateKey()},
		{Host: Host{Target: down.Target(), Role: "agent"}, Spec: *HostNeeds("agent", false, false), Key: down.PrivateKey()},
	}
	hosts[0].Host.Name, hosts[1].Host.Name = "up", "down"
	hosts[0].Host.HostKey = "" // The first contact is the preflight's.
	states := map[string]State{}
	for _, f := range Preflight(ctx, hosts, []netip.Addr{netip.MustParseAddr("10.10.0.200")}) {
		states[f.Subject+" "+f.Check] = f.State
	}
	assert.Equal(t, Ready, states["up ssh"])
	assert.Equal(t, Ready, states["up cloud-init"])
	assert.Equal(t, Ready, states["up K3s certificates"])
	assert.NotContains(t, states, "down K3s certificates", "nothing is known of it")
	assert.Equal(t, Waiting, states["down ssh"])
	assert.Equal(t, Waiting, states["all hosts hostnames"])
}
