package server

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/host"
	"strata/internal/ssh/remote"
)

// unitCase describes a host's unit.
type unitCase struct {
	Role string         `json:"role"`
	Unit host.UnitFacts `json:"unit"`
	// Ping is the server's answer; nil for an agent.
	Ping *pingFacts `json:"ping,omitempty"`
}

func TestUnitFactsGiveVerdictsOfFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "unit", func(_ struct{}, c unitCase) []health.Verdict {
		host := health.Host{Target: remote.Target{Name: "node-1", Address: "10.10.0.11"},
			Role: c.Role}
		if c.Ping == nil {
			return judgeServer(host, c.Unit, pingFacts{})
		}
		return judgeServer(host, c.Unit, *c.Ping)
	})
}

func TestServerSpecRequiresOneHostAndNoServer(t *testing.T) {
	assert.Equal(t, health.Traits{Kind: Kind, OneHost: true, NoServers: true, Optional: true},
		Spec{}.Traits())
}
