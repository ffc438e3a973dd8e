package rollout

import (
	"testing"

	"strata/health"
	"strata/health/healthtest"
)

func TestRolloutVerdicts(t *testing.T) {
	healthtest.RunFixtures(t, "rollout", func(_ struct{}, f rolloutFacts) []health.Verdict { return judgeRollout(f) })
}
