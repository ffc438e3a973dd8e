package health

import "testing"

func TestRolloutVerdicts(t *testing.T) {
	runFixtures(t, "rollout", func(_ struct{}, f rolloutFacts) []Verdict { return judgeRollout(f) })
}
