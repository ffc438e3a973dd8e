package system

import (
	"testing"

	"strata/health"
	"strata/health/healthtest"
)

func TestSystemVerdictsMatchFixtures(t *testing.T) {
	type facts struct {
		systemFacts
		Names namesFacts `json:"names,omitzero"`
	}
	healthtest.RunFixtures(t, "system", func(s Spec, f facts) []health.Verdict {
		return judgeSystem(s, f.systemFacts, f.Names)
	})
}
