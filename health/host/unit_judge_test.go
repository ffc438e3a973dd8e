package host

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/healthtest"
	"strata/internal/ssh/remote"
)

// unitCase describes K3s's unit on a host of a role.
type unitCase struct {
	Role string    `json:"role"`
	Unit UnitFacts `json:"unit"`
}

func TestUnitVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "unit", func(_ struct{}, c unitCase) []health.Verdict {
		return []health.Verdict{JudgeUnit(health.Host{Target: remote.Target{Name: "node-1"},
			Role: c.Role}, c.Unit)}
	})
}

func TestRunningUnitIsWaitingWhenSSHConnectionIsLost(t *testing.T) {
	host := health.Host{Target: remote.Target{Name: "node-1"}, Role: "agent"}
	running := UnitFacts{Seen: true, Load: "loaded", Active: "active", Sub: "running"}
	assert.Equal(t, health.Ready, JudgeUnit(host, running).State)
	running.Fault = errors.New("connection to node-1 lost: no answer for 7s")
	assert.Equal(t, health.Waiting, JudgeUnit(host, running).State)
}

// A queued systemd job will soon change the unit's state. Ending is true if a restart would renew a
// certificate.
func TestUnitFactsAreReadFromProbe(t *testing.T) {
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	certificate := certificateLine(t, "agent/b.crt", now.Add(90*24*time.Hour), false)
	block := func(job, sub string) Block {
		return Block{"ActiveState": {"active"}, "SubState": {sub}, "Job": {job},
			"Restart": {"always"}, "stable": {"yes"}, "certificate": {certificate}}
	}
	facts := unitFactsOf(block("17", "running"), now)
	assert.True(t, facts.Seen)
	assert.Equal(t, "always", facts.Restart)
	assert.True(t, facts.Queued)
	assert.True(t, facts.Stable)
	assert.False(t, facts.Ending)
	assert.True(t, unitFactsOf(block("0", "running"), now.Add(time.Second)).Ending)
	assert.False(t, unitFactsOf(block("0", "running"), now).Queued)
	assert.False(t, unitFactsOf(block("17", "start"), now).Queued)
	assert.False(t, facts.Disabled)
	assert.Empty(t, facts.Undone)
	assert.True(t, unitFactsOf(Block{"UnitFileState": {"disabled"}}, now).Disabled)
	assert.False(t, unitFactsOf(Block{"UnitFileState": {"enabled-runtime"}}, now).Disabled)
	assert.Equal(t, []string{"net/ipv4/ip_forward"},
		unitFactsOf(Block{"undone": {"net/ipv4/ip_forward"}}, now).Undone)
	assert.Equal(t, []string{"audit-log-maxage"},
		unitFactsOf(Block{"skipped": {"audit-log-maxage"}}, now).Skipped)
	assert.True(t, unitFactsOf(Block{"tunnel": {"yes"}}, now).Tunnel)
	bare := unitFactsOf(Block{"stable": {"no"}}, now)
	assert.False(t, bare.Ending, "without a certificate there is none that ends")
	assert.False(t, bare.Stable)
	assert.False(t, bare.Tunnel)
}

func TestRoutesAreParsedFromKernelFormat(t *testing.T) {
	assert.Equal(t, []string{"10.42.1.0/24", "10.10.0.0/16", "10.42.3.5/32"}, routesOf([]string{
		"00012A0A 00FFFFFF", "00000A0A 0000FFFF", "05032A0A FFFFFFFF", "Destination Mask",
		"00012A0A", "zz 00FFFFFF", "0A0A 00FFFFFF",
	}))
}
