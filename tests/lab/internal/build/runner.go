package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"strata/tests/lab/internal/lockfile"
)

// Runner runs a build graph.
type Runner struct {
	// Dir is the cache folder.
	Dir string
	// Jobs is the number of job slots: steps that run at once, at least 1. Steps with Beside set
	// use no slot. The go command uses every core by itself. So two slots are enough to use the
	// cores while one step links.
	Jobs int
	// Progress receives the events of the build.
	Progress *Progress
}

// result is the outcome of one step.
type result struct {
	step  Step
	entry Entry
	err   error
}

// errNeed marks a step that was not tried, because a step that it needs failed or the build was
// cancelled.
var errNeed = errors.New("not built")

// Run builds the steps and returns the outputs of the successful ones. A free job slot goes to the
// first step of the list whose needed steps and download have ended. The error joins every failure,
// but has only the number of the steps that were not tried.
func (r Runner) Run(ctx context.Context, steps []Step) (Outputs, error) {
	if err := check(steps); err != nil {
		return nil, err
	}
	missing := r.missing(steps)
	r.Progress.planned(steps, missing)
	fetches := startFetches(ctx, steps, missing, r.Progress)
	waiting := slices.Clone(steps)
	results := make(map[string]result, len(steps))
	ended := make(chan result)
	running := 0
	for len(results) < len(steps) {
		if at := next(waiting, results, fetches, running < max(r.Jobs, 1)); at >= 0 {
			step := waiting[at]
			waiting = slices.Delete(waiting, at, at+1)
			needs, err := gather(step, results)
			if err == nil {
				err = fetches.failed[step.Name]
			}
			running += places(step)
			go func() { ended <- r.one(ctx, step, needs, err) }()
			continue
		}
		select {
		case one := <-fetches.ended:
			fetches.end(one)
		case done := <-ended:
			running -= places(done.step)
			results[done.step.Name] = done
			r.Progress.finished(done.step, done.err)
		}
	}
	return collect(steps, results)
}

// places returns the number of job slots that a step uses: 0 or 1.
func places(step Step) int {
	if step.Beside {
		return 0
	}
	return 1
}

// check returns an error for a duplicate name, and for a step that comes before one of its needed
// steps. So the graph has no cycle.
func check(steps []Step) error {
	known := map[string]bool{}
	for _, step := range steps {
		if known[step.Name] {
			return fmt.Errorf("build graph: two steps are called %q", step.Name)
		}
		for _, need := range step.Needs {
			if !known[need] {
				return fmt.Errorf("build graph: %q needs %q, which does not come before it", step.Name, need)
			}
		}
		known[step.Name] = true
	}
	return nil
}

// next returns the index of the first waiting step that can start, or -1. A step can start when its
// needed steps and its download have ended, and a job slot is free or the step uses none.
func next(waiting []Step, results map[string]result, fetches *fetches, place bool) int {
	return slices.IndexFunc(waiting, func(step Step) bool {
		if fetches.going[step.Name] || !place && !step.Beside {
			return false
		}
		return !slices.ContainsFunc(step.Needs, func(need string) bool {
			_, ended := results[need]
			return !ended
		})
	})
}

// gather returns the outputs of the steps that a step needs. It fails if one of them failed.
func gather(step Step, results map[string]result) (Outputs, error) {
	needs := Outputs{}
	for _, name := range step.Needs {
		if results[name].err != nil {
			return nil, fmt.Errorf("%w: %s failed", errNeed, name)
		}
		needs[name] = results[name].entry
	}
	return needs, nil
}

// one runs a step, or takes its output from the cache. If err is not nil, one does not run the
// step, and returns err.
func (r Runner) one(ctx context.Context, step Step, needs Outputs, err error) result {
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", errNeed, ctx.Err())
	}
	if err != nil {
		return result{step: step, err: err}
	}
	if step.Key == nil {
		return result{step: step, entry: Entry{Cached: true}, err: r.run(ctx, step, "", needs)}
	}
	// Compute the key when the step starts, because sources may have changed while other steps ran.
	key, err := keyOf(step, func(need string) string { return needs[need].Key })
	if err != nil {
		return result{step: step, err: fmt.Errorf("inputs: %w", err)}
	}
	entry, err := r.cached(ctx, step, key, needs)
	return result{step: step, entry: entry, err: err}
}

func (r Runner) cached(ctx context.Context, step Step, key string, needs Outputs) (Entry, error) {
	store := cache{dir: r.Dir}
	entry, found, err := store.load(step.Name, key)
	if err != nil || found {
		return entry, err
	}
	lock := filepath.Join(r.Dir, "."+step.Name+".lock")
	unlock, err := lockfile.Lock(ctx, lock, func() { r.Progress.waiting(step.Name) })
	if err != nil {
		return Entry{}, err
	}
	defer unlock()
	// Another process that held the lock may have built the step.
	entry, found, err = store.load(step.Name, key)
	if err != nil || found {
		return entry, err
	}
	return r.fresh(ctx, store, step, key, needs)
}

// fresh runs a step in an empty folder, and publishes its output. The caller holds the step's lock.
func (r Runner) fresh(ctx context.Context, store cache, step Step, key string, needs Outputs) (Entry, error) {
	if err := store.sweep(step.Name); err != nil {
		return Entry{}, err
	}
	stage, err := store.stage(step.Name)
	if err != nil {
		return Entry{}, err
	}
	// After a successful publish, no folder has this name, and RemoveAll does nothing.
	defer func() { _ = os.RemoveAll(stage) }()
	began := time.Now()
	if err := r.run(ctx, step, stage, needs); err != nil {
		return Entry{}, err
	}
	return store.publish(step.Name, stage, Entry{Key: key, Seconds: time.Since(began).Seconds()})
}

func (r Runner) run(ctx context.Context, step Step, out string, needs Outputs) error {
	r.Progress.started(step.Name)
	var log bytes.Buffer
	err := step.Run(ctx, out, needs, &log)
	r.Progress.ended(step.Name)
	if err != nil && log.Len() > 0 {
		return fmt.Errorf("%w\n%s", err, tail(log.String()))
	}
	return err
}

// logLines is the number of lines of a failed step's log that its error shows. Compilers print the
// cause first or last.
const logLines = 30

// tail returns the first line and the last logLines lines of a log.
func tail(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if dropped := len(lines) - logLines; dropped > 0 {
		lines = append([]string{lines[0], fmt.Sprintf("… %d lines left out …", dropped-1)}, lines[dropped:]...)
	}
	return strings.Join(lines, "\n")
}

// collect returns the outputs of successful steps, and joins the errors of failed ones. It only
// counts the steps that were not tried.
func collect(steps []Step, results map[string]result) (Outputs, error) {
	outputs := Outputs{}
	var failures []error
	hidden := 0
	for _, step := range steps {
		done := results[step.Name]
		switch {
		case done.err == nil:
			outputs[step.Name] = done.entry
		case errors.Is(done.err, errNeed):
			hidden++
		default:
			failures = append(failures, fmt.Errorf("%s: %w", step.Name, done.err))
		}
	}
	if hidden > 0 {
		failures = append(failures, fmt.Errorf("%d more steps were not tried", hidden))
	}
	return outputs, errors.Join(failures...)
}
