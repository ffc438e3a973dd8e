package server

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/host"
	"strata/internal/ssh/remote"
)

// serverCase describes a host's unit and, on a server, the answer of /ping.
type serverCase struct {
	Role string         `json:"role"`
	Unit host.UnitFacts `json:"unit"`
	// Ping is nil for an agent.
	Ping *pingFacts `json:"ping,omitempty"`
}

func TestServerVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "server", func(_ struct{}, c serverCase) []health.Verdict {
		host := health.Host{Target: remote.Target{Name: "node-1", Address: "10.10.0.11"},
			Role: c.Role}
		if c.Ping == nil {
			return judgeServer(host, c.Unit, pingFacts{})
		}
		return judgeServer(host, c.Unit, *c.Ping)
	})
}

func TestServerGateNeedsOneHostAndNoAPIServer(t *testing.T) {
	assert.Equal(t, health.Traits{Kind: Kind, OneHost: true, NoServers: true, Optional: true},
		Spec{}.Traits())
}
