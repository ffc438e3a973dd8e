package pool

import (
	"testing"

	"strata/health/healthtest"
)

func TestPoolVerdicts(t *testing.T) { healthtest.RunFixtures(t, "pool", judgePool) }
