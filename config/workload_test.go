package config_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"strata/config"
)

// workloads returns the section with workload shop and further keys.
func workloads(keys string) map[string]string {
	return one("apps", `{"certWaitImage":"r/c:1","workloads":[{"name":"shop","image":"docker.io/acme/shop:1.2.3",`+keys+`}]}`)
}

// loadWorkload loads one workload into an otherwise good configuration.
func loadWorkload(fields map[string]any) (config.Workload, error) {
	text, err := json.Marshal(map[string]any{"workloads": []any{fields}, "certWaitImage": "r/c:1"})
	if err != nil {
		return config.Workload{}, err
	}
	raw := good()
	raw["apps"] = string(text)
	cfg, err := config.Load("dev", raw, noEnv)
	if err != nil {
		return config.Workload{}, err
	}
	return cfg.Apps.Workloads[0], nil
}

func TestWorkloadRequiresOnlyNameAndImage(t *testing.T) {
	w, err := loadWorkload(map[string]any{"name": "shop", "image": "docker.io/acme/shop:1.2.3",
		"routes": []any{map[string]any{}}})
	require.NoError(t, err)
	assert.Equal(t, 2, w.Replicas)
	assert.Equal(t, 55*time.Second, w.Grace(),
		"15s of preStop, 30s of the longest request, 10s of slack")
	assert.Equal(t, []config.WorkloadRoute{{Host: "shop", Path: "/", Controller: "traefik",
		Kind: "HTTPRoute"}}, w.Routes)
}

// anyWorkload draws a workload's settings, good and bad.
func anyWorkload(t *rapid.T) map[string]any {
	fields := map[string]any{"name": "shop", "image": "docker.io/acme/shop:1.2.3"}
	for key, most := range map[string]int{"preStop": 400, "longestRequest": 40, "slack": 400, "gracePeriod": 1200} {
		if rapid.Bool().Draw(t, key+" is set") {
			fields[key] = fmt.Sprintf("%ds", rapid.IntRange(0, most).Draw(t, key))
		}
	}
	fields["replicas"] = rapid.IntRange(0, 40).Draw(t, "replicas")
	fields["acceptDowntime"] = rapid.Bool().Draw(t, "acceptDowntime")
	return fields
}

// A valid workload never has a Pod killed with a request in it, and never holds up a drain for
// ever.
func TestAcceptedWorkloadHasEnoughGraceAndDisruptionBudget(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		w, err := loadWorkload(anyWorkload(t))
		if err != nil {
			return
		}
		accepted++
		needs := w.PreStop.Duration + w.LongestRequest.Duration + w.Slack.Duration
		require.GreaterOrEqual(t, w.Grace(), needs)
		require.GreaterOrEqual(t, w.Grace(), w.GracePeriod.Duration,
			"what was asked for is not cut")
		require.Zero(t, w.Grace()%time.Second, "Kubernetes would round it down")
		require.Positive(t, w.PreStop.Duration)
		require.GreaterOrEqual(t, w.MaxUnavailable(), 1,
			"a budget of none holds up a drain for ever")
		if w.Replicas > 1 {
			require.Less(t, w.MaxUnavailable(), w.Replicas, "a budget of all protects nothing")
		}
		require.True(t, w.Replicas > 1 || w.AcceptDowntime)
	})
	assert.Positive(t, accepted, "no workload was accepted: the property was never checked")
}

// The grace period must be at least the sum of preStop, longestRequest and slack. Any shorter one
// is refused, and the sum itself is accepted.
func TestTooShortGracePeriodIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := func(name string) int { return rapid.IntRange(1, 30).Draw(t, name) }
		preStop, longest, slack := part("preStop"), part("longestRequest"), part("slack")
		fields := map[string]any{"name": "shop", "image": "a:1"}
		for key, n := range map[string]int{"preStop": preStop, "longestRequest": longest, "slack": slack} {
			fields[key] = fmt.Sprintf("%ds", n)
		}
		sum := preStop + longest + slack
		fields["gracePeriod"] = fmt.Sprintf("%ds", sum)
		w, err := loadWorkload(fields)
		require.NoError(t, err)
		require.Equal(t, time.Duration(sum)*time.Second, w.Grace())
		fields["gracePeriod"] = fmt.Sprintf("%ds", rapid.IntRange(1, sum-1).Draw(t, "too short"))
		_, err = loadWorkload(fields)
		require.ErrorContains(t, err, "strata:apps.workloads[0].gracePeriod")
	})
}
