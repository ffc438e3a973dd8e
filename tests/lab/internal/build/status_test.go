package build

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStatusShowsRunningStepsAndRemainingTime(t *testing.T) {
	moment := Moment{At: 200, Running: []Part{{Name: "k3s", Began: 15}, {Name: "download/vault",
		Began: 190}, {Name: "image", Began: 199.6}}}
	assert.Equal(t, "building k3s 3m5s, image 0s; downloading for vault; about 12 min left", status(moment, 700))
	assert.Equal(t, "downloading for vault; about 25 s left", status(Moment{Running: moment.Running[1:2]}, 27))
}

// step returns a step that prints a status line before it ends.
func step(name string, p *Progress) Step {
	return Step{
		Name: name, Key: func() (string, error) { return name, nil },
		Run: func(_ context.Context, out string, _ Outputs, _ io.Writer) error {
			p.tell()
			return os.WriteFile(filepath.Join(out, "out"), nil, 0o600)
		},
	}
}

func TestProgressPrintsLinesWithoutTerminal(t *testing.T) {
	var out strings.Builder
	dir := t.TempDir()
	progress := NewProgress(&out)
	progress.Weights = Weights{"a": {Processor: 60}, "b": {Processor: 60}}
	steps := []Step{step("a", progress), step("b", progress),
		{Name: "end", Run: func(context.Context, string, Outputs, io.Writer) error { return nil }}}
	_, err := Runner{Dir: dir, Jobs: 1, Progress: progress}.Run(t.Context(), steps)
	require.NoError(t, err)
	assert.NotContains(t, out.String(), "\r")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 5, out.String())
	assert.Equal(t, "lab [ 0/2] 2 of 3 parts are to be built: about 1 min",
		lines[0][:len("lab [ 0/2] 2 of 3 parts are to be built: about 1 min")])
	assert.Regexp(t, `^lab \[ 0/2\] building a 0s; about \d+ (s|min) left$`, lines[1])
	assert.Regexp(t, `^lab \[ 1/2\] a: built in 0\.\d s \(processor \d+\.\d s\)$`, lines[2])
	record := progress.Record()
	assert.Len(t, record.Parts, 2, "what costs nothing is no part")
	assert.True(t, record.Built())

	out.Reset()
	again := NewProgress(&out)
	_, err = Runner{Dir: dir, Jobs: 1, Progress: again}.Run(t.Context(), steps)
	require.NoError(t, err)
	assert.Empty(t, out.String(), "nothing to build, nothing to say")
	assert.False(t, again.Record().Built())
}

func TestProgressOverwritesStatusOnTerminal(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer func() { _ = out.Close() }()
	progress := NewProgress(out)
	progress.terminal = true
	progress.record.Parts = []Part{{Name: "a", Began: 0.001}}
	progress.tell()
	progress.tell()
	progress.ended("a")
	progress.finished(Step{Name: "a"}, nil)
	done := make(chan struct{})
	close(done)
	progress.Tell(time.Hour, done)
	text, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), "\n"), "the line of the end is the only one that stays")
	assert.Equal(t, 3, strings.Count(string(text), clearLine))
}
