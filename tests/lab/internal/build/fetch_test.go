package build_test

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
)

func TestNextStepDownloadsWhileAnotherStepBuilds(t *testing.T) {
	runs, fetched := 0, make(chan struct{})
	first, second := writer("a", "k", "a", &runs), writer("b", "k", "b", &runs)
	second.Fetch = func(context.Context, io.Writer) error {
		close(fetched)
		return nil
	}
	run := first.Run
	first.Run = func(ctx context.Context, out string, needs build.Outputs, log io.Writer) error {
		<-fetched // b is downloaded although a has the only job slot
		return run(ctx, out, needs, log)
	}
	_, err := runner(t.TempDir(), 1).Run(t.Context(), []build.Step{first, second})
	require.NoError(t, err)
	assert.Equal(t, 2, runs)
}

func TestStepThatWaitsForDownloadTakesNoJobSlot(t *testing.T) {
	runs, built := 0, make(chan struct{})
	late, next := writer("late", "k", "a", &runs), writer("next", "k", "b", &runs)
	late.Fetch = func(context.Context, io.Writer) error {
		<-built
		return nil
	}
	run := next.Run
	next.Run = func(ctx context.Context, out string, needs build.Outputs, log io.Writer) error {
		defer close(built)
		return run(ctx, out, needs, log)
	}
	_, err := runner(t.TempDir(), 1).Run(t.Context(), []build.Step{late, next})
	require.NoError(t, err)
	assert.Equal(t, 2, runs)
}

func TestCachedStepIsNotDownloaded(t *testing.T) {
	dir, runs := t.TempDir(), 0
	var fetches atomic.Int32
	step := writer("a", "k", "a", &runs)
	step.Fetch = func(context.Context, io.Writer) error {
		fetches.Add(1)
		return nil
	}
	for range 2 {
		_, err := runner(dir, 1).Run(t.Context(), []build.Step{step})
		require.NoError(t, err)
	}
	assert.EqualValues(t, 1, fetches.Load())
}

func TestFailedDownloadStopsOnlyItsStepAndDependents(t *testing.T) {
	runs := 0
	broken := writer("broken", "k", "a", &runs)
	broken.Fetch = func(_ context.Context, log io.Writer) error {
		_, err := io.WriteString(log, "no such host")
		return errors.Join(err, errors.New("exit status 1"))
	}
	outputs, err := runner(t.TempDir(), 1).Run(t.Context(),
		[]build.Step{broken, writer("above", "k", "t", &runs, "broken"), writer("beside", "k", "t",
			&runs)})
	assert.ErrorContains(t, err, "broken: downloading: exit status 1\nno such host")
	assert.ErrorContains(t, err, "1 more steps were not tried")
	assert.Contains(t, outputs, "beside")
	assert.Equal(t, 1, runs)
}

func TestStepThatMostlyWaitsTakesNoJobSlot(t *testing.T) {
	runs, built := 0, make(chan struct{})
	image, compiled := writer("image", "k", "a", &runs), writer("compiled", "k", "b", new(int))
	image.Beside = true
	wait, run := image.Run, compiled.Run
	image.Run = func(ctx context.Context, out string, needs build.Outputs, log io.Writer) error {
		<-built
		return wait(ctx, out, needs, log)
	}
	compiled.Run = func(ctx context.Context, out string, needs build.Outputs, log io.Writer) error {
		defer close(built)
		return run(ctx, out, needs, log)
	}
	_, err := runner(t.TempDir(), 1).Run(t.Context(), []build.Step{image, compiled})
	require.NoError(t, err)
}

// Steps that run in every build have no key, so they do not affect the keys of the steps that need
// them. A step keeps its key when it gets such a dependency.
func TestStepStaysCachedWithNewKeylessDependency(t *testing.T) {
	dir, runs := t.TempDir(), 0
	_, err := runner(dir, 1).Run(t.Context(), []build.Step{writer("a", "k", "a", &runs)})
	require.NoError(t, err)
	always := build.Step{Name: "packages",
		Run: func(context.Context, string, build.Outputs, io.Writer) error { return nil }}
	steps := []build.Step{always, writer("a", "k", "a", &runs, "packages")}
	_, err = runner(dir, 1).Run(t.Context(), steps)
	require.NoError(t, err)
	assert.Equal(t, 1, runs)
	assert.Equal(t, map[string]bool{"a": true}, build.Cached(dir, steps))
	assert.Equal(t, map[string]bool{"b": false}, build.Cached(dir, []build.Step{writer("b", "k", "a", &runs)}))
}
