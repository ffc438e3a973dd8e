package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Runner builds a graph.
type Runner struct {
	// Dir is the cache folder.
	Dir string
	// Jobs is how many steps run at once; at least 1. The go command uses every core by itself: two steps fill the
	// gaps that linking leaves.
	Jobs int
	// Progress hears what happens, one call at a time.
	Progress *Progress
}

// state is one step while the graph runs.
type state struct {
	step  Step
	done  chan struct{}
	entry Entry
	err   error
}

// errNeed marks a step that was not tried because another one failed.
var errNeed = errors.New("not built")

// Run builds the steps, started in the order of the list as far as their needs allow, and returns the outputs of those
// that worked. The error joins every failure; steps that needed a failed one are only counted.
func (r Runner) Run(ctx context.Context, steps []Step) (Outputs, error) {
	states, err := r.plan(steps)
	if err != nil {
		return nil, err
	}
	slots := make(chan struct{}, max(r.Jobs, 1))
	var group sync.WaitGroup
	for _, step := range steps {
		current := states[step.Name]
		group.Go(func() {
			defer close(current.done)
			current.entry, current.err = r.one(ctx, current.step, states, slots)
			r.Progress.finished(step, current.entry, current.err)
		})
	}
	group.Wait()
	return collect(steps, states)
}

// plan checks names and needs. A step may only need earlier ones, which also rules out cycles.
func (r Runner) plan(steps []Step) (map[string]*state, error) {
	states := make(map[string]*state, len(steps))
	for _, step := range steps {
		if _, twice := states[step.Name]; twice {
			return nil, fmt.Errorf("build graph: two steps are called %q", step.Name)
		}
		for _, need := range step.Needs {
			if _, known := states[need]; !known {
				return nil, fmt.Errorf("build graph: %q needs %q, which does not come before it", step.Name, need)
			}
		}
		states[step.Name] = &state{step: step, done: make(chan struct{})}
	}
	r.Progress.total(len(steps))
	return states, nil
}

// one waits for the needs of a step and runs it, or takes it from the cache.
func (r Runner) one(ctx context.Context, step Step, states map[string]*state, slots chan struct{}) (Entry, error) {
	needs := Outputs{}
	keys := []string{}
	for _, name := range step.Needs {
		need := states[name]
		<-need.done
		if need.err != nil {
			return Entry{}, fmt.Errorf("%w: %s failed", errNeed, name)
		}
		needs[name] = need.entry
		keys = append(keys, need.entry.Key)
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return Entry{}, fmt.Errorf("%w: %w", errNeed, ctx.Err())
	}
	// Both may have been ready.
	if err := ctx.Err(); err != nil {
		return Entry{}, fmt.Errorf("%w: %w", errNeed, err)
	}
	if step.Key == nil {
		return Entry{Cached: true}, r.run(ctx, step, "", needs)
	}
	own, err := step.Key()
	if err != nil {
		return Entry{}, fmt.Errorf("inputs: %w", err)
	}
	return r.cached(ctx, step, Digest(append([]string{own}, keys...)...), needs)
}

func (r Runner) cached(ctx context.Context, step Step, key string, needs Outputs) (Entry, error) {
	store := cache{dir: r.Dir}
	entry, found, err := store.load(step.Name, key)
	if err != nil || found {
		return entry, err
	}
	stage, err := store.stage(step.Name)
	if err != nil {
		return Entry{}, err
	}
	// After a successful publish there is nothing left under this name.
	defer os.RemoveAll(stage)
	began := time.Now()
	if err := r.run(ctx, step, stage, needs); err != nil {
		return Entry{}, err
	}
	return store.publish(step.Name, stage, Entry{Key: key, Seconds: time.Since(began).Seconds()})
}

func (r Runner) run(ctx context.Context, step Step, out string, needs Outputs) error {
	if step.Key != nil {
		r.Progress.started(step.Name)
	}
	var log bytes.Buffer
	err := step.Run(ctx, out, needs, &log)
	if err != nil && log.Len() > 0 {
		return fmt.Errorf("%w\n%s", err, strings.TrimSpace(log.String()))
	}
	return err
}

// collect returns what worked and joins what did not.
func collect(steps []Step, states map[string]*state) (Outputs, error) {
	outputs := Outputs{}
	var failures []error
	hidden := 0
	for _, step := range steps {
		current := states[step.Name]
		switch {
		case current.err == nil:
			outputs[step.Name] = current.entry
		case errors.Is(current.err, errNeed):
			hidden++
		default:
			failures = append(failures, fmt.Errorf("%s: %w", step.Name, current.err))
		}
	}
	if hidden > 0 {
		failures = append(failures, fmt.Errorf("%d more steps were not tried", hidden))
	}
	return outputs, errors.Join(failures...)
}
