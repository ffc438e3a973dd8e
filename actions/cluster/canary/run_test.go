package canary

import (
	"cmp"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/cluster/watchers"
)

var spec = Spec{
	Namespace: "apps", Routes: []string{"shop"}, Stable: "shop", Canary: "shop-canary",
	Path: "/ready", Steps: []int{5, 50},
	Hold: metav1.Duration{Duration: 3 * time.Second}, MaxFailing: 1, MinAnswers: 20,
}

// fakeWorld fakes a cluster in which requests are answered during each pause.
type fakeWorld struct {
	first, same bool
	// leaving counts the remaining Pods of an earlier version; each pause ends one of them.
	leaving int
	// age is the API server's age; zero means old enough for a canary. waited is the longest pause.
	age, waited time.Duration
	// weights are the weights that were set, in order.
	weights []int
	// each returns the answers that arrive during one pause, given the canary's weight in percent.
	// wrong returns the fault that the nth observation reports; empty if there is none.
	each     func(percent int) counter
	now      counter
	wrong    func(nth int) string
	observed int
	// unread is the Unread of every observation. clash is the error that Distinct returns.
	unread string
	clash  error
	// broken is the number of the call of Weigh that fails. stop is the number of the pause that
	// ends the context.
	broken, stop int
	cancel       context.CancelFunc
	pauses       int
}

func (w *fakeWorld) First(context.Context) (bool, error) { return w.first, nil }

func (w *fakeWorld) Same(context.Context) (bool, error) { return w.same, nil }

func (w *fakeWorld) Distinct(context.Context) error { return w.clash }

func (w *fakeWorld) CountTerminating(context.Context) (int, error) { return w.leaving, nil }

func (w *fakeWorld) Weigh(ctx context.Context, percent int) error {
	w.weights = append(w.weights, percent)
	if len(w.weights) == w.broken {
		return errors.New("conflict")
	}
	return ctx.Err()
}

func (w *fakeWorld) Observe(context.Context) (seen, error) {
	w.observed++
	found := seen{Counters: map[string]counter{"traefik-1": w.now}, Unread: w.unread}
	if w.wrong != nil {
		found.Wrong = w.wrong(w.observed)
	}
	return found, nil
}

func (w *fakeWorld) Age(context.Context) (time.Duration, error) {
	return cmp.Or(w.age, watchers.AgainAfter), nil
}

func (w *fakeWorld) Pause(ctx context.Context, d time.Duration) error {
	w.pauses++
	w.waited = max(w.waited, d)
	w.leaving = max(w.leaving-1, 0)
	if w.pauses == w.stop {
		w.cancel()
	}
	more := w.each(w.weights[len(w.weights)-1])
	w.now = counter{w.now.Answers + more.Answers, w.now.Failed + more.Failed}
	return ctx.Err()
}

// good returns answers without a failure.
func good(percent int) counter { return counter{Answers: 2 * percent} }

// try runs the canary in a fake cluster, and returns the error.
func try(t *testing.T, w *fakeWorld) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.cancel = cancel
	return run(ctx, spec, w, io.Discard)
}

func TestCanaryOfGoodVersionRunsEveryStepAndResetsWeights(t *testing.T) {
	w := &fakeWorld{each: good}
	require.NoError(t, try(t, w))
	assert.Equal(t, []int{0, 5, 50, 0}, w.weights)
	assert.Equal(t, 6, w.pauses, "each step is held")
}

// If an ingress controller gets the weight too early, it sends requests to a Pod of the previous
// version, which may have failed its own canary.
func TestCanaryGetsNoRequestsWhilePreviousPodsTerminate(t *testing.T) {
	w := &fakeWorld{leaving: 2}
	w.each = func(percent int) counter {
		assert.True(t, w.leaving == 0 || percent == 0, "%d %% with %d Pods that leave", percent,
			w.leaving)
		return good(percent)
	}
	require.NoError(t, try(t, w))
	assert.Equal(t, []int{0, 5, 50, 0}, w.weights)
	assert.Equal(t, 2+6, w.pauses)
}

func TestStuckPreviousPodIsReportedAtTimeout(t *testing.T) {
	w := &fakeWorld{leaving: 9, each: good, stop: 3}
	err := try(t, w)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "7 Pods of the version before still leave")
	assert.Equal(t, []int{0, 0}, w.weights)
}

// After a restore, an ingress controller may not watch the API server yet. It knows neither the
// weight nor the new version's Pods, and its requests to the previous Pods are answered with 502.
func TestCanaryWaitsUntilControllersWatchRestartedAPIServer(t *testing.T) {
	w := &fakeWorld{age: 20 * time.Second}
	w.each = func(percent int) counter {
		assert.True(t, percent == 0 || w.waited == 70*time.Second, "%d %% after a pause of %s",
			percent, w.waited)
		return good(percent)
	}
	require.NoError(t, try(t, w))
	assert.Equal(t, 1+6, w.pauses)

	w = &fakeWorld{age: time.Hour, each: good}
	require.NoError(t, try(t, w))
	assert.Equal(t, observeEvery, w.waited, "one that has run for long is not waited for")
}

func TestInterruptedWaitForControllersNamesAPIServerAge(t *testing.T) {
	w := &fakeWorld{age: 20 * time.Second, each: good, stop: 1}
	err := try(t, w)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "the API server began 20s ago")
	assert.Equal(t, []int{0, 0}, w.weights)
}

func TestFirstVersionSkipsCanary(t *testing.T) {
	w := &fakeWorld{first: true}
	require.NoError(t, try(t, w))
	assert.Empty(t, w.weights)
}

// A rollback after a killed run gives all requests to the serving version, and waits for no
// answers.
func TestCanaryOfServingVersionRunsNoStep(t *testing.T) {
	w := &fakeWorld{same: true, each: good}
	require.NoError(t, try(t, w))
	assert.Equal(t, []int{0, 0}, w.weights)
	assert.Zero(t, w.pauses)
}

func TestFailingVersionIsRolledBackAtOnce(t *testing.T) {
	for name, test := range map[string]struct {
		each    func(int) counter
		wrong   func(int) string
		weights []int
		says    string
	}{
		"too many of its answers fail": {
			func(int) counter { return counter{Answers: 20, Failed: 1} }, nil, []int{0, 5, 0},
			"1 of its 20 answers are 5xx, expected at most 1 %"},
		"only at the larger step": {func(percent int) counter {
			return counter{Answers: 100, Failed: percent / 10}
		}, nil, []int{0, 5, 50, 0}, "at 50 %: 5 of its 100 answers are 5xx"},
		"its probe fails": {good, func(nth int) string {
			return map[bool]string{true: "its probe /ready answers 503"}[nth > 1]
		}, []int{0, 5, 0}, "its probe /ready answers 503"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &fakeWorld{each: test.each, wrong: test.wrong}
			err := try(t, w)
			require.ErrorIs(t, err, ErrRolledBack)
			require.ErrorContains(t, err, test.says)
			assert.Equal(t, test.weights, w.weights)
		})
	}
}

// A version that does not work before its first request never gets one.
func TestCanaryRoutesNoRequestsToUnavailableVersion(t *testing.T) {
	w := &fakeWorld{each: good, wrong: func(int) string { return "no Pod of it is available" }}
	require.ErrorIs(t, try(t, w), ErrRolledBack)
	assert.Equal(t, []int{0, 0}, w.weights)
}

// The probe goes through an API server, which may fail by itself. So one failure is no evidence.
func TestSingleFailedProbeIsRetried(t *testing.T) {
	w := &fakeWorld{each: good, wrong: func(nth int) string {
		return map[bool]string{true: "its probe /ready answers 502"}[nth%2 == 1]
	}}
	require.NoError(t, try(t, w))
}

// Few answers prove nothing about a version, so a step waits for more.
func TestCanaryStepWaitsForEnoughAnswers(t *testing.T) {
	w := &fakeWorld{each: func(int) counter { return counter{Answers: 4} }} // 12 in a step's time
	require.NoError(t, try(t, w))
	assert.Equal(t, 10, w.pauses, "five for 20 answers, twice")
}

func TestCanaryStepWithTooFewAnswersFails(t *testing.T) {
	for name, each := range map[string]func(int) counter{
		"0 answers in 12s, 0 of them 5xx": func(int) counter { return counter{} },
		"12 answers in 12s, 12 of them 5xx": func(int) counter {
			return counter{Answers: 1,
				Failed: 1}
		},
	} {
		w := &fakeWorld{each: each}
		err := try(t, w)
		require.ErrorIs(t, err, ErrRolledBack)
		require.ErrorContains(t, err, name+", expected canary.minAnswers 20 to judge by")
		assert.Equal(t, []int{0, 5, 0}, w.weights)
	}
}

// A message with "0 answers" would send users to look for requests that did arrive.
func TestUncountableAnswersAreNotReportedAsZero(t *testing.T) {
	w := &fakeWorld{each: func(int) counter { return counter{} },
		unread: `Pod traefik/one (traefik:v9) counts by service ["apps/shop-canary@new"]`}
	err := try(t, w)
	require.ErrorIs(t, err, ErrRolledBack)
	require.ErrorContains(t, err, `at 5 %: its answers cannot be counted: in 12s, Pod traefik/one (traefik:v9) counts by service ["apps/shop-canary@new"]; expected NAMESPACE-`)
	require.NotContains(t, err.Error(), "0 answers")
	assert.Equal(t, []int{0, 5, 0}, w.weights)
	// Counted answers decide, even if a Pod also has labels of an unknown form.
	require.NoError(t, try(t, &fakeWorld{each: good, unread: w.unread}))
}

func TestVersionWithAmbiguousMetricsGetsNoRequests(t *testing.T) {
	w := &fakeWorld{each: good, clash: errors.New("one name for both")}
	require.ErrorContains(t, try(t, w), "one name for both")
	assert.Equal(t, []int{0, 0}, w.weights)
	require.NoError(t, try(t, &fakeWorld{same: true, each: good, clash: w.clash}),
		"there is nothing to count")
}

// A step lasts longer if its answers are counted late. Otherwise a failing version would pass
// before its answers are counted.
func TestCanaryStepLastsUntilAnswersAreCounted(t *testing.T) {
	late := spec
	late.Metrics = []Metrics{{Age: metav1.Duration{Duration: 4 * time.Second}},
		{Age: metav1.Duration{Duration: time.Second}}}
	w := &fakeWorld{each: good}
	require.NoError(t, run(t.Context(), late, w, io.Discard))
	assert.Equal(t, 2*(3+4), w.pauses, "the oldest counts")
	w = &fakeWorld{}
	w.each = func(percent int) counter { // at 5 %, the first count comes with the step's last observation
		return map[bool]counter{true: {Answers: 100, Failed: 50}}[percent > 0 && w.pauses == 7]
	}
	err := run(t.Context(), late, w, io.Discard)
	require.ErrorContains(t, err, "at 5 %: 50 of its 100 answers are 5xx")
	assert.Equal(t, []int{0, 5, 0}, w.weights)
}

// The tally compares the counters of each Pod. A Pod that is observed later has counted earlier
// answers, and a restarted Pod counts from zero.
func TestTallyCountsEachPodFromFirstObservation(t *testing.T) {
	sum := tally{last: map[string]counter{}}
	for _, now := range []map[string]counter{
		{"a": {100, 50}},                   // what was before the step
		{"a": {110, 51}, "b": {5000, 900}}, // b did not answer the first observation
		{"b": {5010, 902}},                 // a does not answer
		{"a": {130, 51}, "b": {7, 3}},      // and b was restarted
	} {
		sum.add(now)
	}
	assert.Equal(t, counter{Answers: 10 + 10 + 20 + 7, Failed: 1 + 2 + 0 + 3}, sum.counter)
}

// Failures in an earlier step, or an earlier run, are not counted again.
func TestCanaryStepIgnoresEarlierFailures(t *testing.T) {
	w := &fakeWorld{each: good, now: counter{Answers: 1000, Failed: 900}}
	require.NoError(t, try(t, w))
}

func TestInterruptedCanaryResetsWeights(t *testing.T) {
	w := &fakeWorld{each: good, stop: 4}
	require.ErrorIs(t, try(t, w), context.Canceled)
	assert.Equal(t, []int{0, 5, 50, 0}, w.weights)
}

func TestFailedRollbackIsReported(t *testing.T) {
	w := &fakeWorld{each: good, broken: 4}
	require.ErrorContains(t, try(t, w), "give all requests back to shop: conflict; the next run does so first")
}
