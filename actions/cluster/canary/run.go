package canary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// ErrRolledBack reports that the new version failed its canary, and that all requests are routed to
// the old version again.
var ErrRolledBack = errors.New("rolled back")

// observeEvery is the time between two observations, so a fault may go unnoticed for that long.
const observeEvery = time.Second

// backWithin bounds the rollback, which also runs after an interrupt.
const backWithin = 15 * time.Second

// wrongTimes is the number of failed observations in a row after which the new version counts as
// faulty. A single request through the API server may fail by chance.
const wrongTimes = 2

// seen is one observation of the new version.
type seen struct {
	// Wrong describes the fault that the new version showed; "" if the observation found none.
	Wrong string
	// Counters holds the counters by the name of each ingress controller Pod. Nil if no metrics are
	// configured.
	Counters map[string]counter
	// Unread describes the Pods that count requests only with labels of an unknown form; "" if
	// there are none.
	Unread string
}

// counter counts answers. Failed is the number of those with a 5xx status.
type counter struct{ Answers, Failed int }

// tally sums up the increase of the counters since its first observation.
type tally struct {
	counter
	last map[string]counter
}

// add adds an observation. The first counters of a Pod are only a baseline, because they include
// answers from before the first observation. If counters decrease, the Pod has restarted and counts
// from 0.
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

// world is the access of a run to the cluster; tests replace it.
type world interface {
	// First reports whether there is no old version, so that nothing can be compared.
	First(ctx context.Context) (bool, error)
	// Same reports whether the old and the new version are the same.
	Same(ctx context.Context) (bool, error)
	// Distinct returns an error if the metrics cannot distinguish the new version's answers from
	// those of another Service.
	Distinct(ctx context.Context) error
	// CountTerminating returns the number of Pods of an earlier canary version whose grace period
	// is not over.
	CountTerminating(ctx context.Context) (int, error)
	// Age returns the time since the API server's start, or watchers.AgainAfter if unknown.
	Age(ctx context.Context) (time.Duration, error)
	// Weigh routes a part of the requests, in percent, to the new version.
	Weigh(ctx context.Context, percent int) error
	Observe(ctx context.Context) (seen, error)
	// Pause waits for d, or until ctx is done.
	Pause(ctx context.Context, d time.Duration) error
}

// run runs the steps of a canary release. When run returns, with or without an error, all requests
// are routed to the old version. The error says why the new version failed.
func run(ctx context.Context, spec Spec, w world, progress io.Writer) (err error) {
	// Errors of the progress output are ignored.
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
	// An interrupted run may have left a weight other than 0 on the routes.
	if err := w.Weigh(ctx, 0); err != nil {
		return err
	}
	same, err := w.Same(ctx)
	if err != nil {
		return err
	}
	if same { // a rollback, or an interrupted rollout after a passed canary
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

// waitForEarlierPods waits until no Pod of an earlier canary version is left. APISIX reads routes
// first and upstreams later, so it may use the new weight before it knows that such a Pod
// terminates, and would send this version's requests to that Pod.
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

// step runs one step: it routes percent of the requests to the new version for Hold plus Age. While
// there are fewer answers than MinAnswers, it continues up to HoldAtMost times that duration.
// Answers that the metrics count after the step's end count for the next step.
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

// few returns the message for a step with too few answers, or with answers that cannot be counted.
// strange describes the unknown labels.
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

// observe observes the new version until it finds no fault, at most wrongTimes times. If each
// observation finds a fault, wrong is the last one.
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

// judge returns the fault of the new version that a step's answers show so far; "" if they show
// none.
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
