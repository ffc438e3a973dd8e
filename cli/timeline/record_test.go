package timeline

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRecorderTimestampsEventsAndReturnsCommandError(t *testing.T) {
	script := filepath.Join(t.TempDir(), "pulumi")
	require.NoError(t, os.WriteFile(script, []byte(`#!/bin/sh
# up --event-log PATH, as the CLI takes it
[ "$PULUMI_DEBUG_COMMANDS" = true ] || exit 9
echo '{"resourcePreEvent":{"metadata":{"op":"create","urn":"urn:pulumi:d::p::a:b:C::x","type":"a:b:C","new":{"inputs":{"secret":"hunter2","create":"echo hunter2"}}}}}' > "$3"
timeout 20 sh -c 'until [ -e "$1" ]; do sleep 0.01; done' wait "$0.recorded" || exit 8
echo '{"stdoutEvent":{"message":"hunter2"}}' >> "$3"
echo '{"diagnosticEvent":{"urn":"urn:pulumi:d::p::a:b:C::x","message":"hunter2","severity":"info"}}' >> "$3"
echo '{"resourcePreEvent":{"metadata":{"op":"create","urn":"urn:pulumi:d::p::command:local:Command::g","type":"command:local:Command","new":{"inputs":{"create":"exec .strata/bin/strata gate","stdin":"{\"kind\":\"server\",\"x\":\"hunter2\"}","environment":{"K":"hunter2"}}}}}}' >> "$3"
echo '{"diagnosticEvent":{"urn":"urn:pulumi:d::p::command:local:Command::g","message":"<{%fg 1%}>g: 0/1 Ready, 1 s<{%reset%}>","severity":"info"}}' >> "$3"
echo '{"resOutputsEvent":{"metadata":{"op":"create","urn":"urn:pulumi:d::p::a:b:C::x","type":"a:b:C"}}}' >> "$3"
printf '{"cut off' >> "$3"
exit 3
`), 0o755))
	recording := &announcing{file: script + ".recorded"}
	graphs := 0
	recorder := Recorder{Out: recording, Now: time.Now,
		Graph: func(context.Context) (map[string][]string, error) {
			graphs++
			return map[string][]string{"urn:pulumi:d::p::a:b:C::x": nil}, nil
		}}
	err := recorder.Run(t.Context(), []string{script, "up"})
	require.ErrorContains(t, err, "exit status 3", "the run's own result is not hidden")
	assert.Equal(t, 2, graphs, "before and after: a destroy leaves nothing to read")
	assert.NotContains(t, recording.String(), "hunter2",
		"a recording has neither inputs nor output")
	lines, err := Read(recording)
	require.NoError(t, err)
	run := New(lines)
	require.Len(t, run.Bars, 2)
	assert.Equal(t, "server", run.Bars[1].Kind)
	assert.Equal(t, []string{"g: 0/1 Ready, 1 s"}, run.Bars[1].Messages)
	assert.Positive(t, run.Bars[0].Duration())
	assert.False(t, run.Complete)
}

// announcing is a recording that creates a file once it has the first event. The recorded command
// waits for this file.
type announcing struct {
	bytes.Buffer
	file string
}

func (a *announcing) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("resourcePreEvent")) {
		if err := os.WriteFile(a.file, nil, 0o600); err != nil {
			return 0, err
		}
	}
	return a.Buffer.Write(p)
}

// fullDisk accepts a first line and no other.
type fullDisk struct{ lines int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.lines++; f.lines > 1 {
		return 0, syscall.ENOSPC
	}
	return len(p), nil
}

// The pipe holds 64 KiB. Without a reader, the engine would block for ever at the next event.
func TestFailedRecordingDoesNotBlockRun(t *testing.T) {
	script := filepath.Join(t.TempDir(), "pulumi")
	require.NoError(t, os.WriteFile(script, []byte(`#!/bin/sh
event='{"resourcePreEvent":{"metadata":{"op":"create","urn":"urn:pulumi:d::p::a:b:C::x","type":"a:b:C"}}}'
i=0
while [ "$i" -lt 2000 ]; do echo "$event"; i=$((i + 1)); done > "$3"
exit 3
`), 0o755))
	recorder := Recorder{Out: &fullDisk{}, Now: time.Now,
		Graph: func(context.Context) (map[string][]string, error) { return nil, nil }}
	ended := make(chan error, 1)
	go func() { ended <- recorder.Run(t.Context(), []string{script, "up"}) }()
	select {
	case err := <-ended:
		require.ErrorContains(t, err, "exit status 3", "the run's own result is not hidden")
		require.ErrorIs(t, err, syscall.ENOSPC)
	case <-time.After(20 * time.Second):
		t.Fatal("the run waits for a reader of its events")
	}
}
