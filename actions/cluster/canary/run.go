package canary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// ErrRolledBack reports a version that did not pass. The old version has all requests again.
var ErrRolledBack = errors.New("rolled back")

// observeEvery is the pause between two observations: a bad version may go unnoticed for that long.
const observeEvery = time.Second

// backWithin bounds the rollback, which also happens after an interrupt.
const backWithin = 15 * time.Second

// wrongTimes observations in a row must find the new version wrong: a single request through the
// API server may fail by itself.
const wrongTimes = 2

// seen is one observation of the new version.
type seen struct {
	// Wrong says why the new version does not work; empty if it does.
	Wrong string
	// Counters holds the counts of each Pod of the ingress controller, by the Pod's name. It is nil
	// if no Pod counts.
	Counters map[string]counter
	// Unread lists the labels of Pods that count requests, but under no label of a known form. It
	// is empty if there is no such Pod.
	Unread string
}

// counter counts answers. Failed counts those with a status of 5xx.
type counter struct{ Answers, Failed int }

// tally sums up the counts since its first observation.
type tally struct {
	counter
	last map[string]counter
}

// add adds an observation. A Pod that is seen for the first time may have counted before. A Pod
// whose counts are lower than before has restarted.
func (t *tally) add(now map[string]counter) {
	for pod, found := range now {
		before, known := t.last[pod]
		if found.Answers < before.Answers || found.Failed < before.Failed {
			before = counter{}
		}
		if known {
			t.Answers += found.Answers - before.Answers
			t.Failed += found.Failed - before.Failed
		}
		t.last[pod] = found
	}
}

// world gives a run access to the cluster.
type world interface {
	// First reports whether there is no old version yet.
	First(ctx context.Context) (bool, error)
	// Same reports whether the old version equals the new one.
	Same(ctx context.Context) (bool, error)
	// Distinct returns an error if answers of another Service would be counted as the new
	// version's.
	Distinct(ctx context.Context) error
	// CountTerminating counts the Pods of an earlier version whose grace period has not ended. That
	// version was to be tried before this one.
	CountTerminating(ctx context.Context) (int, error)
	// Age returns the time since the API server's start, or watchers.AgainAfter if that is unknown.
	Age(ctx context.Context) (time.Duration, error)
	// Weigh gives the new version a part of the requests, in percent.
	Weigh(ctx context.Context, percent int) error
	Observe(ctx context.Context) (seen, error)
	// Pause waits for a time, or until the context ends.
	Pause(ctx context.Context, d time.Duration) error
}

// run takes the steps. In every case the old version has all requests when run returns. If the new
// version did not pass, the error gives the reason.
func run(ctx context.Context, spec Spec, w world, progress io.Writer) (err error) {
	// Lost progress is no error.
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(progress, format+"\n", args...) }
	first, err := w.First(ctx)
	if err != nil {
		return err
	}
	if first {
		say("%s/%s is the first version: there is nothing to compare it with", spec.Namespace,
			spec.Stable)
		return nil
	}
	defer func() {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), backWithin)
		defer cancel()
		if failed := w.Weigh(back, 0); failed != nil {
			err = errors.Join(err, fmt.Errorf(
				"give all requests back to %s: %w; the next run does so first", spec.Stable,
				failed))
		}
	}()
	// A killed run may have left a weight.
	if err := w.Weigh(ctx, 0); err != nil {
		return err
	}
	same, err := w.Same(ctx)
	if err != nil {
		return err
	}
	if same { // a rollback, or the rollout after a run that passed was interrupted
		say("%s is what %s/%s runs already: there is nothing to try", spec.Canary, spec.Namespace,
			spec.Stable)
		return nil
	}
	if err := w.Distinct(ctx); err != nil {
		return err
	}
	if err := waitForEarlierPods(ctx, spec, w, say); err != nil {
		return err
	}
	if err := awaitWatchers(ctx, spec, w, say); err != nil {
		return err
	}
	for _, percent := range spec.Steps {
		if err := step(ctx, spec, w, percent, say); err != nil {
			return err
		}
	}
	say("all steps passed: %s goes back to 0 %% and %s is rolled out", spec.Canary, spec.Stable)
	return nil
}

// waitForEarlierPods waits until no Pod of an earlier version is left. An ingress controller may
// learn of the weight before it learns that such a Pod ends: APISIX reads routes first and
// upstreams later. It would then send this version's requests to that Pod.
func waitForEarlierPods(ctx context.Context, spec Spec, w world, say func(string, ...any)) error {
	for told := 0; ; {
		leaving, err := w.CountTerminating(ctx)
		if err != nil || leaving == 0 {
			return err
		}
		if leaving != told {
			say("Pods of the version before: %d leave; nothing goes to %s until they are gone",
				leaving, spec.Canary)
			told = leaving
		}
		if err := w.Pause(ctx, observeEvery); err != nil {
			return fmt.Errorf("canary %s/%s: %d Pods of the version before still leave: %w",
				spec.Namespace, spec.Canary, leaving, err)
		}
	}
}

// step holds one weight for its time, and longer until there are enough answers to judge by.
// Answers that are counted late go to the next step: they are of this version, whatever the weight
// was.
func step(ctx context.Context, spec Spec, w world, percent int, say func(string, ...any)) error {
	first, wrong, err := observe(ctx, w)
	if err != nil {
		return err
	}
	if wrong != "" {
		return failure(spec, 0, wrong)
	}
	if err := w.Weigh(ctx, percent); err != nil {
		return err
	}
	strange := first.Unread
	sum := tally{last: map[string]counter{}}
	held := time.Duration(0)
	hold := spec.Hold.Duration + spec.Age()
	sum.add(first.Counters)
	tooFew := func() bool { return first.Counters != nil && sum.Answers < spec.MinAnswers }
	for ; held < hold || tooFew() && held < HoldAtMost*hold; held += observeEvery {
		if err := w.Pause(ctx, observeEvery); err != nil {
			return fmt.Errorf("canary %s/%s at %d %%: %w", spec.Namespace, spec.Canary,
				percent, err)
		}
		now, wrong, err := observe(ctx, w)
		if err != nil {
			return err
		}
		sum.add(now.Counters)
		strange = now.Unread
		if wrong = cmp.Or(wrong, judge(spec, sum.counter)); wrong != "" {
			return failure(spec, percent, wrong)
		}
	}
	if tooFew() {
		return failure(spec, percent, few(spec, sum.counter, held, strange))
	}
	say("%d %%: %d answers, %d of them 5xx, in %s", percent, sum.Answers, sum.Failed, held)
	return nil
}

// few returns the message about too few answers, or about answers that cannot be counted.
func few(spec Spec, sum counter, held time.Duration, strange string) string {
	if strange != "" {
		return fmt.Sprintf("its answers cannot be counted: in %s, %s; expected %s: this version "+
			"of the ingress controller names Services in another way, "+
			"which Strata has to be taught", held, strange, bothForms)
	}
	return fmt.Sprintf("%d answers in %s, %d of them 5xx, expected canary.minAnswers %d to judge by: "+
		"hold longer, lower minAnswers, or send more", sum.Answers, held, sum.Failed,
		spec.MinAnswers)
}

// observe repeats the observation until the new version works, or was wrong in wrongTimes
// observations. In the second case it returns the reason.
func observe(ctx context.Context, w world) (now seen, wrong string, err error) {
	for range wrongTimes {
		if wrong != "" {
			if err := w.Pause(ctx, observeEvery); err != nil {
				return seen{}, "", err
			}
		}
		if now, err = w.Observe(ctx); err != nil || now.Wrong == "" {
			return now, "", err
		}
		wrong = now.Wrong
	}
	return now, wrong, nil
}

// judge returns the fault of the new version since a step began; empty without one.
func judge(spec Spec, sum counter) string {
	if sum.Answers >= spec.MinAnswers && sum.Failed*100 > spec.MaxFailing*sum.Answers {
		return fmt.Sprintf("%d of its %d answers are 5xx, expected at most %d %%", sum.Failed,
			sum.Answers, spec.MaxFailing)
	}
	return ""
}

func failure(spec Spec, percent int, wrong string) error {
	return fmt.Errorf("canary %s/%s at %d %%: %s: %w: %s has all requests; kubectl -n %s logs "+
		"deployment/%s; then set a version that works and run up again",
		spec.Namespace, spec.Canary, percent, wrong, ErrRolledBack, spec.Stable, spec.Namespace,
		spec.Canary)
}
