package timeline

import (
	"encoding/json"
	"io"
	"time"
)

// traceEvent is one event of Chrome's trace format, with times in microseconds
// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	At       int64          `json:"ts"`
	Duration int64          `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// WriteTrace writes the run for a trace viewer such as https://ui.perfetto.dev. Each layer is a
// process with as many threads as operations of the layer ran in parallel.
func WriteTrace(out io.Writer, run Run) error {
	events := []traceEvent{}
	for number, layer := range run.Layers {
		events = append(events,
			traceEvent{Name: "process_name", Phase: "M", Process: number,
				Args: map[string]any{"name": LayerName(layer.Name)}})
		var ends []time.Time // ends[i] is the end of the last operation on thread i
		for _, bar := range run.Share(layer.Name) {
			thread := 0
			for thread < len(ends) && ends[thread].After(bar.Start) {
				thread++
			}
			if thread == len(ends) {
				ends = append(ends, time.Time{})
			}
			ends[thread] = bar.End
			events = append(events, traceEvent{
				Name: bar.Name, Category: bar.Op + outcomeMark(bar), Phase: "X", Process: number,
				Thread:   thread,
				At:       bar.Start.Sub(run.Start).Microseconds(),
				Duration: bar.Duration().Microseconds(),
				Args: map[string]any{"type": bar.Type, "critical path": bar.Critical,
					"waited last for": bar.WaitedFor, "messages": bar.Messages},
			})
		}
	}
	return json.NewEncoder(out).Encode(map[string]any{"traceEvents": events})
}
