package system

import (
	"testing"

	"strata/health/healthtest"
)

func TestSystemVerdicts(t *testing.T) { healthtest.RunFixtures(t, "system", judgeSystem) }
