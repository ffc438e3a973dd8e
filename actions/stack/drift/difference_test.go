package drift

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/internal/pulumi/stackstate"
)

func TestReasonNamesDifferencesThatArePutBack(t *testing.T) {
	at := time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC)
	report := &Report{Differences: []Difference{
		{Resource: "traefik-release", Thing: "Deployment/traefik/traefik", Verdict: Changed,
			Fields: []string{"spec.replicas"}, Evidence: `by "kubectl"`},
		{Resource: "traefik-release", Thing: "Service/traefik/traefik", Verdict: Missing},
		{Resource: "pool", Thing: "IPAddressPool/metallb-system/default", Verdict: Changed,
			Kept: "flux has taken the fields over"},
	}}
	assert.Equal(t, map[string]string{"traefik-release": "2026-11-28T16:00:00Z " +
		`Deployment/traefik/traefik: changed spec.replicas (by "kubectl"); ` +
		"Service/traefik/traefik: missing"}, report.Reasons(at, &stackstate.State{}))
	assert.Equal(t, "IPAddressPool/metallb-system/default: changed; left as it is: "+
		"flux has taken the fields over", report.Differences[2].String())
}

// The API server bounds the size of annotations.
func TestReasonOfManyDifferencesIsShort(t *testing.T) {
	report := &Report{}
	for range 100 {
		report.Differences = append(report.Differences, Difference{Resource: "r", Thing: "A/a",
			Verdict: Missing})
	}
	assert.True(t, strings.HasSuffix(report.Reasons(time.Now(),
		&stackstate.State{})["r"], "A/a: missing; and 95 more"))
}
