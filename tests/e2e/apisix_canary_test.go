package e2e

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// apisixPart is the percentage of requests that APISIX sends to the canary.
const apisixPart = 20

// apisixShop returns a workload whose canary gets a percentage of the requests from APISIX.
func apisixShop() map[string]any {
	shop := quickShop()
	delete(shop, "certificate")
	shop["routes"] = []any{map[string]any{"kind": "HTTPRoute"}}
	shop["canary"] = map[string]any{"steps": []int{apisixPart}, "hold": "2s", "minAnswers": 5}
	return shop
}

// withShop returns the platform with APISIX, its demo and a workload.
func withShop(shop map[string]any, hosts *hostSet, nodes ...node) map[string]any {
	sections := withAPISIX(hosts, "full", nodes...)
	sections["apps"] = map[string]any{"demo": true, "validate": "full", "workloads": []any{shop}}
	return sections
}

// canaryByAPISIX sends requests during two updates. The first one, to a failing version, must be
// rolled back; the second one must succeed. The probe passes for both versions, so only APISIX's
// counts of requests distinguish them.
func (s *stack) canaryByAPISIX(t *testing.T, shop map[string]any, hosts *hostSet, nodes ...node) {
	version := func(env map[string]any) {
		shop["env"] = env
		s.configure(withShop(shop, hosts, nodes...))
	}
	start := time.Now()
	send := func() *sender {
		return s.sendTo(t, "https://shop.apisix.test/",
			hosts.net.address(205), 60)
	}
	sending := send()
	sending.phase("bad version", 300, func() {
		version(map[string]any{"VERSION": "bad", "FAIL": "500"})
		s.refused(t, s.up(), "rolled back", fmt.Sprintf("at %d %%", apisixPart), "answers are 5xx",
			"shop has all requests")
	})
	assert.Equal(t, []int{100, 0}, s.weights(t))
	sending.phase("rolled back", 60, func() { untilNoneIsLost(t, send) })
	sending.phase("good version", 300, func() {
		version(map[string]any{"VERSION": "v2", "TAKES": "100ms"})
		s.must(s.up())
		s.rolledOut(t, "apps", "shop")
	})
	assert.Equal(t, []int{100, 0}, s.weights(t))
	sending.phase("after it", 60, func() {})
	report := sending.end()
	t.Logf("canary by APISIX: %s", time.Since(start).Round(time.Second))
	last := report.Phases[len(report.Phases)-4:]
	bad, back, good, after := last[0], last[1], last[2], last[3]
	assert.Positive(t, bad.Lost, "it was never asked")
	assert.LessOrEqual(t, (bad.Lost+back.Lost)*100, apisixPart*(bad.Sent+back.Sent),
		"%d and %d of %d", bad.Lost, back.Lost, bad.Sent+back.Sent)
	assert.Zero(t, good.Lost+after.Lost)
	assert.Positive(t, good.Headers["v1"], "the old version serves until the new one is rolled out")
	assert.Equal(t, []string{"v2"}, slices.Sorted(maps.Keys(after.Headers)), "and then none")
}

// untilNoneIsLost waits until a few requests in a row are answered. The controller takes a second
// or two to apply the weights.
func untilNoneIsLost(t *testing.T, send func() *sender) {
	for start := time.Now(); ; {
		few := send()
		few.phase("a few", 20, func() {})
		if few.end().Total.Lost == 0 {
			return
		}
		require.Less(t, time.Since(start), silence, "APISIX has the weights")
	}
}
