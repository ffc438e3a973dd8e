package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
)

// canaryFirst and canarySecond are the percentages of requests in the two steps of the canary.
const canaryFirst, canarySecond = 5, 20

// triesVersions updates to new versions with a canary. A failing version must lose no more than the
// first percentage of requests. After an update that is killed during the canary, the next update
// must converge to the new or the old version.
func (w *workloadStory) triesVersions(t *testing.T) {
	serving := w.version(t)
	w.shop["canary"] = map[string]any{"steps": []int{canaryFirst, canarySecond}, "hold": "10s",
		"minAnswers": 5}
	w.apply()
	w.must(w.up("--expect-no-changes"))
	w.step("a failing version is rolled back, and loses at most its share of requests",
		func(t *testing.T) { w.rollsBack(t, serving) })
	w.step("the next update completes a killed one without a lost request", func(t *testing.T) {
		sending := w.send(t, "shop", 60) // a canary step needs answers to pass
		sending.phase("good version", 300, func() {
			w.next("v3")
			w.killedUpConverges(t, "workload-shop-canary updating")
			w.rolledOut(t, "apps", "shop")
		})
		assert.Zero(t, sending.end().Total.Lost)
		assert.Equal(t, []int{100, 0}, w.weights(t))
		assert.Equal(t, "v3", w.version(t))
		w.must(w.up("--expect-no-changes"))
	})
	w.step("after a kill and a revert, the serving version gets all requests", func(t *testing.T) {
		w.next("v4")
		// There are no requests, so the canary waits in its first step.
		w.killedUp(t, "workload-shop-canary updating", func() {
			comesTrue(t, func(c require.TestingT) {
				assert.Equal(c,
					[]int{100 - canaryFirst, canaryFirst}, w.weights(t))
			})
		})
		assert.Equal(t, []int{100 - canaryFirst, canaryFirst}, w.weights(t), "what the kill left")
		w.next("v3")
		w.must(w.up()) // this needs no requests, because the version is already serving
		assert.Equal(t, []int{100, 0}, w.weights(t))
		assert.Equal(t, "v3", w.version(t))
		w.must(w.up("--expect-no-changes"))
	})
}

// next configures a version, but runs no update.
func (w *workloadStory) next(version string) {
	w.shop["env"] = map[string]any{"VERSION": version, "TAKES": "100ms"}
	w.configure(w.sections())
}

// rollsBack sends requests during an update to a failing version, which must be rolled back.
func (w *workloadStory) rollsBack(t *testing.T, serving string) {
	sending := w.send(t, "shop", 60)
	sending.phase("bad version", 300, func() {
		w.shop["env"] = map[string]any{"VERSION": "bad", "FAIL": "500"}
		w.configure(w.sections())
		w.refused(t, w.up(), "rolled back", fmt.Sprintf("at %d %%", canaryFirst), "answers are 5xx",
			"shop has all requests")
	})
	report := sending.end()
	bad := report.Phases[len(report.Phases)-1]
	assert.Positive(t, bad.Lost, "it was never asked")
	assert.LessOrEqual(t, bad.Lost*100, canaryFirst*bad.Sent, "%d of %d", bad.Lost, bad.Sent)
	assert.Equal(t, []int{100, 0}, w.weights(t))
	assert.Equal(t, serving, w.version(t), "the old version is what is rolled out")
}

// weights returns the weights of the workload's only route, the old version's first.
func (s *stack) weights(t *testing.T) []int {
	t.Helper()
	weights, err := weightsBy(t.Context(), s.client())
	require.NoError(t, err)
	return weights
}

func weightsBy(ctx context.Context, client kubernetes.Interface) ([]int, error) {
	text, err := client.CoreV1().RESTClient().Get().AbsPath(
		"/apis/gateway.networking.k8s.io/v1/namespaces/apps/httproutes").DoRaw(ctx)
	if err != nil {
		return nil, err
	}
	var routes struct {
		Items []struct {
			Spec struct {
				Rules []struct {
					BackendRefs []struct{ Weight int }
				}
			}
		}
	}
	if err := json.Unmarshal(text, &routes); err != nil {
		return nil, err
	}
	if len(routes.Items) != 1 || len(routes.Items[0].Spec.Rules) != 1 {
		return nil, fmt.Errorf("expected one route of one rule, found %s", text)
	}
	var weights []int
	for _, backend := range routes.Items[0].Spec.Rules[0].BackendRefs {
		weights = append(weights, backend.Weight)
	}
	return weights, nil
}

// version returns the version that the workload's answers name.
func (w *workloadStory) version(t *testing.T) string {
	t.Helper()
	sending := w.send(t, "shop", 20)
	sending.phase("version", 40, func() {})
	report := sending.end()
	require.Zero(t, report.Total.Lost, "%s", report.Text())
	require.Len(t, report.Total.Headers, 1)
	for version := range report.Total.Headers {
		return version
	}
	return ""
}
