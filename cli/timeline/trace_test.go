package timeline

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTraceStepsDoNotOverlapWithinThread(t *testing.T) {
	file, err := os.Open("testdata/destroy.jsonl")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	lines, err := Read(file)
	require.NoError(t, err)
	run := New(lines)
	var out bytes.Buffer
	require.NoError(t, WriteTrace(&out, run))
	var trace struct{ TraceEvents []traceEvent }
	require.NoError(t, json.Unmarshal(out.Bytes(), &trace))
	ends, steps := map[[2]int]int64{}, 0
	for _, event := range trace.TraceEvents {
		if event.Phase == "M" {
			continue
		}
		steps++
		thread := [2]int{event.Process, event.Thread}
		assert.GreaterOrEqual(t, event.At, ends[thread], event.Name)
		ends[thread] = event.At + event.Duration
	}
	assert.Len(t, run.Bars, steps)
	assert.Len(t, trace.TraceEvents, len(run.Layers)+len(run.Bars))
}
