package podcheck_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/cli/podcheck"
)

func TestRulesUseDurationsFromOptions(t *testing.T) {
	defer func(before podcheck.Options) { options = before }(options)
	options.LongestRequest *= 2
	require.Len(t, find(t, good).Findings, 1)
	options.LongestRequest, options.PreStop = 0, 5e9
	assert.Empty(t, find(t, change{"seconds: 15", "seconds: 5", ": 46", ": 6"}.apply(t)).Findings)
}

func TestSkipChecksAnnotationSkipsRules(t *testing.T) {
	skips := func(text string) string {
		return "  namespace: apps\n  annotations: {strata/skip-checks: '" + text + "'}\nspec:\n"
	}
	one := change{
		"replicas: 2", "replicas: 1", "PodDisruptionBudget", "Lease",
		"  namespace: apps\nspec:\n", skips("replicas, budget"),
	}
	assert.Empty(t, find(t, one.apply(t)).Findings)
	one[5] = skips("replicas")
	assert.Len(t, find(t, one.apply(t)).Findings, 1)
	one[5] = skips("replica")
	report := find(t, one.apply(t))
	assert.Len(t, report.Findings, 2)
	require.Len(t, report.Unread, 1)
	assert.ErrorContains(t, report.Unread[0],
		`annotation strata/skip-checks: there is no rule "replica"; the rules are certificate, readiness,`)

	defer func() { options.Skip = nil }()
	options.Skip = []string{podcheck.Readiness}
	assert.Empty(t, find(t, change{probe, ""}.apply(t)).Findings)
}
