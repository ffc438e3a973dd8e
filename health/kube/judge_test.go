package kube

import (
	"testing"

	"strata/health"
	"strata/health/healthtest"
)

func TestWorkloadVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "workload",
		func(_ struct{}, f WorkloadFacts) []health.Verdict {
			return []health.Verdict{JudgeWorkload(f)}
		})
}
