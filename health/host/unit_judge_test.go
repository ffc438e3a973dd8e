package host

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/internal/remote"
)

func TestAnOldObservationDoesNotOutliveTheConnection(t *testing.T) {
	host := health.Host{Target: remote.Target{Name: "node-1"}, Role: "agent"}
	running := UnitFacts{Seen: true, Load: "loaded", Active: "active", Sub: "running"}
	assert.Equal(t, health.Ready, JudgeUnit(host, running).State)
	running.Fault = errors.New("connection to node-1 lost: no answer for 7s")
	assert.Equal(t, health.Waiting, JudgeUnit(host, running).State)
}

func TestRoutesAreReadAsTheKernelPrintsThem(t *testing.T) {
	assert.Equal(t, []string{"10.42.1.0/24", "10.10.0.0/16", "10.42.3.5/32"}, routesOf([]string{
		"00012A0A 00FFFFFF", "00000A0A 0000FFFF", "05032A0A FFFFFFFF", "Destination Mask", "00012A0A", "zz 00FFFFFF", "0A0A 00FFFFFF",
	}))
}
