package health

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/internal/remote"
)

// unitCase is what a host's unit is doing.
type unitCase struct {
	Role string    `json:"role"`
	Unit unitFacts `json:"unit"`
	// Ping is the server's answer; nil on an agent.
	Ping *pingFacts `json:"ping,omitempty"`
}

func TestServerVerdicts(t *testing.T) {
	runFixtures(t, "unit", func(_ struct{}, c unitCase) []Verdict {
		host := Host{Target: remote.Target{Name: "node-1", Address: "10.10.0.11"}, Role: c.Role}
		if c.Ping == nil {
			return judgeServer(host, c.Unit, pingFacts{})
		}
		return judgeServer(host, c.Unit, *c.Ping)
	})
}

func TestAnOldLookDoesNotOutliveTheConnection(t *testing.T) {
	host := Host{Target: remote.Target{Name: "node-1"}, Role: "agent"}
	running := unitFacts{Seen: true, Load: "loaded", Active: "active", Sub: "running"}
	assert.Equal(t, Ready, judgeUnit(host, running).State)
	running.Fault = errors.New("connection to node-1 lost: no answer for 7s")
	assert.Equal(t, Waiting, judgeUnit(host, running).State)
}

func TestRoutesAreReadAsTheKernelPrintsThem(t *testing.T) {
	assert.Equal(t, []string{"10.42.1.0/24", "10.10.0.0/16", "10.42.3.5/32"}, routesOf([]string{
		"00012A0A 00FFFFFF", "00000A0A 0000FFFF", "05032A0A FFFFFFFF", "Destination Mask", "00012A0A", "zz 00FFFFFF",
	}))
}
