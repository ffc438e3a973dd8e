package build_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
)

// writer returns a step that writes text to the file out. Each run increments runs.
func writer(name, key, text string, runs *int, needs ...string) build.Step {
	return build.Step{
		Name: name, Needs: needs,
		Key: func() (string, error) { return key, nil },
		Run: func(_ context.Context, out string, _ build.Outputs, _ io.Writer) error {
			*runs++
			return os.WriteFile(filepath.Join(out, "out"), []byte(text), 0o644)
		},
	}
}

func runner(dir string, jobs int) build.Runner {
	return build.Runner{Dir: dir, Jobs: jobs, Progress: build.NewProgress(io.Discard)}
}

func TestSecondBuildOfSameInputsUsesCache(t *testing.T) {
	dir, runs := t.TempDir(), 0
	first, err := runner(dir, 1).Run(t.Context(), []build.Step{writer("a", "k", "text", &runs)})
	require.NoError(t, err)
	second, err := runner(dir, 1).Run(t.Context(), []build.Step{writer("a", "k", "text", &runs)})
	require.NoError(t, err)

	assert.Equal(t, 1, runs)
	assert.True(t, second["a"].Cached)
	assert.Equal(t, first["a"].Files, second["a"].Files)
	assert.Equal(t, "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1", first["a"].Files[0].SHA256)
}

func TestChangedDependencyRebuildsItsDependents(t *testing.T) {
	dir, lower, upper := t.TempDir(), 0, 0
	for _, key := range []string{"one", "two"} {
		_, err := runner(dir, 2).Run(t.Context(), []build.Step{
			writer("a", key, key, &lower), writer("b", "same", "b", &upper, "a"),
		})
		require.NoError(t, err)
	}
	assert.Equal(t, 2, lower)
	assert.Equal(t, 2, upper)
}

func TestFailedStepStopsOnlyItsDependents(t *testing.T) {
	runs := 0
	broken := build.Step{
		Name: "broken",
		Run: func(_ context.Context, _ string, _ build.Outputs, log io.Writer) error {
			_, err := io.WriteString(log, "what the compiler said")
			return errors.Join(err, errors.New("exit status 1"))
		},
	}
	outputs, err := runner(t.TempDir(), 1).Run(t.Context(), []build.Step{
		broken, writer("above", "k", "t", &runs, "broken"), writer("beside", "k", "t", &runs),
	})
	assert.Equal(t, 1, runs)
	assert.Contains(t, outputs, "beside")
	assert.ErrorContains(t, err, "broken: exit status 1\nwhat the compiler said")
	assert.ErrorContains(t, err, "1 more steps were not tried")
}

func TestFailedStepIsNotCached(t *testing.T) {
	dir := t.TempDir()
	step := build.Step{
		Name: "half",
		Key:  func() (string, error) { return "k", nil },
		Run: func(_ context.Context, out string, _ build.Outputs, _ io.Writer) error {
			return errors.Join(os.WriteFile(filepath.Join(out, "half"), nil, 0o644), errors.New("killed"))
		},
	}
	_, err := runner(dir, 1).Run(t.Context(), []build.Step{step})
	require.ErrorContains(t, err, "killed")
	left, err := filepath.Glob(filepath.Join(dir, "*half*", "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestNextBuildRemovesTemporaryFoldersOfKilledBuild(t *testing.T) {
	dir, runs := t.TempDir(), 0
	left, other := filepath.Join(dir, ".building-a.1"), filepath.Join(dir, ".building-a-chart.1")
	require.NoError(t, os.Mkdir(left, 0o755))
	require.NoError(t, os.Mkdir(other, 0o755))
	_, err := runner(dir, 1).Run(t.Context(), []build.Step{writer("a", "k", "text", &runs)})
	require.NoError(t, err)
	assert.NoDirExists(t, left)
	assert.DirExists(t, other, "another step's build may be going on")
}

func TestConcurrentBuildsRunAStepOnce(t *testing.T) {
	dir, began, goOn := t.TempDir(), make(chan struct{}), make(chan struct{})
	var runs atomic.Int32
	step := build.Step{
		Name: "a",
		Key:  func() (string, error) { return "k", nil },
		Run: func(_ context.Context, out string, _ build.Outputs, _ io.Writer) error {
			runs.Add(1)
			close(began)
			<-goOn
			return os.WriteFile(filepath.Join(out, "out"), nil, 0o644)
		},
	}
	errs := make(chan error, 2)
	go func() {
		_, err := runner(dir, 1).Run(t.Context(), []build.Step{step})
		errs <- err
	}()
	<-began
	waits := writerFunc(func(text []byte) {
		if strings.Contains(string(text), "waiting for another build") {
			close(goOn)
		}
	})
	second := build.Runner{Dir: dir, Jobs: 1, Progress: build.NewProgress(waits)}
	_, err := second.Run(t.Context(), []build.Step{step})
	require.NoError(t, err)
	require.NoError(t, <-errs)
	assert.Equal(t, int32(1), runs.Load())
}

// writerFunc is an io.Writer that calls the function for each write.
type writerFunc func([]byte)

func (f writerFunc) Write(text []byte) (int, error) {
	f(text)
	return len(text), nil
}

func TestStepsStartInTheOrderOfTheList(t *testing.T) {
	var order []string
	var steps []build.Step
	for _, name := range strings.Split("d c b a", " ") {
		steps = append(steps, build.Step{Name: name,
			Run: func(context.Context, string, build.Outputs, io.Writer) error {
				order = append(order, name)
				return nil
			}})
	}
	_, err := runner(t.TempDir(), 1).Run(t.Context(), steps)
	require.NoError(t, err)
	assert.Equal(t, []string{"d", "c", "b", "a"}, order)
}

func TestErrorForDamagedCacheEntryNamesItsFolder(t *testing.T) {
	dir, runs := t.TempDir(), 0
	steps := []build.Step{writer("a", "k", "text", &runs)}
	outputs, err := runner(dir, 1).Run(t.Context(), steps)
	require.NoError(t, err)
	file := filepath.Join(outputs["a"].Dir, "out")
	require.NoError(t, os.Chmod(file, 0o644))
	require.NoError(t, os.WriteFile(file, []byte("t"), 0o644))
	_, err = runner(dir, 1).Run(t.Context(), steps)
	assert.ErrorContains(t, err, outputs["a"].Dir)
}

func TestCacheKeepsThreeEntriesPerStep(t *testing.T) {
	dir, runs := t.TempDir(), 0
	other := writer("a-chart", "k", "t", &runs)
	for _, key := range []string{"1", "2", "3", "4", "5"} {
		_, err := runner(dir, 1).Run(t.Context(), []build.Step{writer("a", key, key, &runs), other})
		require.NoError(t, err)
	}
	own, err := filepath.Glob(filepath.Join(dir, "a-*"))
	require.NoError(t, err)
	assert.Len(t, own, 4, "three of a and the one of a-chart")
}

func TestStepListedBeforeItsDependencyIsRejected(t *testing.T) {
	runs := 0
	_, err := runner(t.TempDir(), 1).Run(t.Context(),
		[]build.Step{writer("a", "k", "t", &runs, "b"), writer("b", "k", "t", &runs)})
	assert.ErrorContains(t, err, `"a" needs "b"`)
}

func TestSelectIncludesDependencies(t *testing.T) {
	runs := 0
	steps := []build.Step{
		writer("a", "k", "t", &runs), writer("b", "k", "t", &runs), writer("c", "k", "t", &runs,
			"a"), writer("d", "k", "t", &runs, "c"),
	}
	selected, err := build.Select(steps, []string{"c"})
	require.NoError(t, err)
	require.Len(t, selected, 2)
	assert.Equal(t, "a", selected[0].Name)
	_, err = build.Select(steps, []string{"x"})
	assert.ErrorContains(t, err, `no step "x"`)
}
