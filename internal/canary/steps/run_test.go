package steps

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/canary"
)

var spec = canary.Spec{
	Namespace: "apps", Routes: []string{"shop"}, Stable: "shop", Canary: "shop-canary", Path: "/ready", Steps: []int{5, 50},
	Hold: metav1.Duration{Duration: 3 * time.Second}, MaxFailing: 1, MinAnswers: 20,
}

// fakeWorld is a cluster in which each pause brings answers.
type fakeWorld struct {
	first bool
	// weights are those that were set, in order.
	weights []int
	// each is what one pause brings, by the weight.
	each func(percent int) seen
	now  seen
	// broken fails the call of a number of Weigh, and stop ends the context at a pause of a number.
	broken, stop int
	cancel       context.CancelFunc
	pauses       int
}

func (w *fakeWorld) First(context.Context) (bool, error) { return w.first, nil }

func (w *fakeWorld) Weigh(ctx context.Context, percent int) error {
	w.weights = append(w.weights, percent)
	if len(w.weights) == w.broken {
		return errors.New("conflict")
	}
	return ctx.Err()
}

func (w *fakeWorld) Look(context.Context) (seen, error) { return w.now, nil }

func (w *fakeWorld) Pause(ctx context.Context, _ time.Duration) error {
	w.pauses++
	if w.pauses == w.stop {
		w.cancel()
	}
	more := w.each(w.weights[len(w.weights)-1])
	w.now = seen{Wrong: more.Wrong, Answers: w.now.Answers + more.Answers, Failed: w.now.Failed + more.Failed}
	return ctx.Err()
}

// good answers everything.
func good(percent int) seen { return seen{Answers: percent} }

// try runs a world and returns its error.
func try(t *testing.T, w *fakeWorld) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.cancel = cancel
	return run(ctx, spec, w, io.Discard)
}

func TestAGoodVersionTakesEveryStepAndGivesTheRequestsBack(t *testing.T) {
	w := &fakeWorld{each: good}
	require.NoError(t, try(t, w))
	assert.Equal(t, []int{0, 5, 50, 0}, w.weights)
	assert.Equal(t, 6, w.pauses, "each step is held")
}

func TestTheFirstVersionIsNotCompared(t *testing.T) {
	w := &fakeWorld{first: true}
	require.NoError(t, try(t, w))
	assert.Empty(t, w.weights)
}

func TestABadVersionIsRolledBackAtOnce(t *testing.T) {
	for name, test := range map[string]struct {
		each    func(int) seen
		weights []int
		says    string
	}{
		"too many of its answers fail": {func(int) seen { return seen{Answers: 20, Failed: 1} }, []int{0, 5, 0}, "1 of its 20 answers are 5xx, expected at most 1 %"},
		"only at the larger step": {func(percent int) seen {
			return seen{Answers: 100, Failed: percent / 10}
		}, []int{0, 5, 50, 0}, "at 50 %: 5 of its 100 answers are 5xx"},
		"its probe fails": {func(int) seen { return seen{Wrong: "its probe /ready answers 503"} }, []int{0, 5, 0}, "its probe /ready answers 503"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &fakeWorld{each: test.each}
			err := try(t, w)
			require.ErrorIs(t, err, ErrRolledBack)
			require.ErrorContains(t, err, test.says)
			assert.Equal(t, test.weights, w.weights)
		})
	}
}

// One that does not work before it has any request never gets one.
func TestABrokenVersionGetsNoRequest(t *testing.T) {
	w := &fakeWorld{each: good, now: seen{Wrong: "no Pod of it is available"}}
	require.ErrorIs(t, try(t, w), ErrRolledBack)
	assert.Equal(t, []int{0, 0}, w.weights)
}

func TestAFewAnswersAreNoShare(t *testing.T) {
	w := &fakeWorld{each: func(int) seen { return seen{Answers: 2, Failed: 1} }} // 6 of a step's, of which half fail
	require.NoError(t, try(t, w), "six answers are fewer than minAnswers")
	assert.Equal(t, []int{0, 5, 50, 0}, w.weights)
}

// What failed in an earlier step, or an earlier run, is not counted again.
func TestEachStepCountsItsOwnAnswers(t *testing.T) {
	w := &fakeWorld{each: good, now: seen{Answers: 1000, Failed: 900}}
	require.NoError(t, try(t, w))
}

func TestAnInterruptGivesTheRequestsBack(t *testing.T) {
	w := &fakeWorld{each: good, stop: 4}
	require.ErrorIs(t, try(t, w), context.Canceled)
	assert.Equal(t, []int{0, 5, 50, 0}, w.weights)
}

func TestAWayBackThatFailsIsTold(t *testing.T) {
	w := &fakeWorld{each: good, broken: 4}
	require.ErrorContains(t, try(t, w), "give all requests back to shop: conflict; the next run does so first")
}
