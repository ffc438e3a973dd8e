package rollout

import (
	"testing"

	"strata/health/healthtest"
)

func TestRolloutVerdicts(t *testing.T) {
	healthtest.RunFixtures(t, "rollout", judgeRollout)
}
