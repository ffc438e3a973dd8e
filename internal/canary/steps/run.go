package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"strata/internal/canary"
)

// ErrRolledBack is the error of a version that did not pass: the old one has all requests again.
var ErrRolledBack = errors.New("rolled back")

// lookEvery is the pause between two looks: so long a bad version goes unnoticed.
const lookEvery = time.Second

// backWithin bounds the way back, which is gone even after an interrupt.
const backWithin = 15 * time.Second

// seen is one look at the new version.
type seen struct {
	// Wrong is why it does not work; empty where it does.
	Wrong string
	// Answers are those so far, and Failed the ones of 5xx among them.
	Answers, Failed int
}

// world is what a run needs of the cluster.
type world interface {
	// First reports whether there is no old version yet.
	First(ctx context.Context) (bool, error)
	// Weigh gives the new version a part of the requests, in percent.
	Weigh(ctx context.Context, percent int) error
	Look(ctx context.Context) (seen, error)
	// Pause waits for a time, or until the context ends.
	Pause(ctx context.Context, d time.Duration) error
}

// run takes the steps. Whatever happens, the old version has all requests when it returns; the error then says why.
func run(ctx context.Context, spec canary.Spec, w world, progress io.Writer) (err error) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(progress, format+"\n", args...) } // people may not be listening
	first, err := w.First(ctx)
	if err != nil {
		return err
	}
	if first {
		say("%s/%s is the first version: there is nothing to compare it with", spec.Namespace, spec.Stable)
		return nil
	}
	defer func() {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), backWithin)
		defer cancel()
		if failed := w.Weigh(back, 0); failed != nil {
			err = errors.Join(err, fmt.Errorf("give all requests back to %s: %w; the next run does so first", spec.Stable, failed))
		}
	}()
	// A run that was killed may have left a weight.
	if err := w.Weigh(ctx, 0); err != nil {
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

// step holds one weight for its time.
func step(ctx context.Context, spec canary.Spec, w world, percent int, say func(string, ...any)) error {
	before, err := w.Look(ctx)
	if err != nil {
		return err
	}
	if before.Wrong != "" {
		return failure(spec, 0, before.Wrong)
	}
	if err := w.Weigh(ctx, percent); err != nil {
		return err
	}
	var now seen
	for held := time.Duration(0); held < spec.Hold.Duration; held += lookEvery {
		if err := w.Pause(ctx, lookEvery); err != nil {
			return fmt.Errorf("canary %s/%s at %d %%: %w", spec.Namespace, spec.Canary, percent, err)
		}
		if now, err = w.Look(ctx); err != nil {
			return err
		}
		if wrong := judge(spec, before, now); wrong != "" {
			return failure(spec, percent, wrong)
		}
	}
	say("%d %%: %d answers, %d of them 5xx, in %s", percent, now.Answers-before.Answers, now.Failed-before.Failed, spec.Hold.Duration)
	return nil
}

// judge says what is wrong with the new version since a step began; empty where it works.
func judge(spec canary.Spec, before, now seen) string {
	answers, failed := now.Answers-before.Answers, now.Failed-before.Failed
	switch {
	case now.Wrong != "":
		return now.Wrong
	case answers >= spec.MinAnswers && failed*100 > spec.MaxFailing*answers:
		return fmt.Sprintf("%d of its %d answers are 5xx, expected at most %d %%", failed, answers, spec.MaxFailing)
	}
	return ""
}

func failure(spec canary.Spec, percent int, wrong string) error {
	return fmt.Errorf("canary %s/%s at %d %%: %s: %w: %s has all requests; kubectl -n %s logs deployment/%s; then set a version that works and run up again",
		spec.Namespace, spec.Canary, percent, wrong, ErrRolledBack, spec.Stable, spec.Namespace, spec.Canary)
}
