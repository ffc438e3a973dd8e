package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Run is a whole run.
type Run struct {
	// Stack is the stack's name.
	Stack string `json:"stack"`
	// Operation is up or destroy.
	Operation string `json:"operation"`
	// Start is the first bar's start, and End the last bar's end.
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	Bars  []Bar     `json:"bars"`
	// Complete is false if the run was killed, so that the engine sent no last event.
	Complete bool `json:"complete"`
	// Wall is the time from Start to End.
	Wall time.Duration `json:"wall"`
	// Path is the length of the critical path: the longest chain of bars that depend on each other.
	Path time.Duration `json:"criticalPath"`
	// Gates is the sum of the gates' durations, and Serial the sum of all durations.
	Gates  time.Duration `json:"gates"`
	Serial time.Duration `json:"serial"`
	// Lag is the sum of the gates' lags; nil if the recording has none.
	Lag *time.Duration `json:"lag,omitempty"`
	// Layers hold the same sums for each layer, ordered by start.
	Layers []Layer `json:"layers"`
}

// Ratio returns the wall time divided by the critical path. It is 1 if the run only waited for
// dependencies. It is zero if no resource changed, because then only the engine itself took time.
func (r Run) Ratio() float64 {
	if r.Path == 0 || !slices.ContainsFunc(r.Bars, func(b Bar) bool { return b.Op != "same" }) {
		return 0
	}
	return float64(r.Wall) / float64(r.Path)
}

// HasFailed reports whether a step failed or the run was killed.
func (r Run) HasFailed() bool {
	return !r.Complete || slices.ContainsFunc(r.Bars,
		func(b Bar) bool { return b.Failed || b.Open })
}

// New computes a run from a recording. It leaves out components, because they take no time of their
// own.
func New(lines []Line) Run {
	bars := map[string]*Bar{}
	graph := map[string][]string{}
	run := Run{Operation: "up"}
	var last time.Time
	for _, line := range lines {
		last = line.At
		for urn, needs := range line.Graph {
			graph[urn] = append(graph[urn], needs...)
		}
		if line.Event != nil {
			run.take(bars, line.At, *line.Event)
		}
	}
	deletes := 0
	for _, bar := range bars {
		if bar.End.IsZero() {
			bar.end(last, false)
			bar.Open = true
		}
		if bar.Op == "delete" {
			deletes++
		}
		run.Bars = append(run.Bars, *bar)
	}
	if deletes > len(bars)/2 {
		run.Operation = "destroy"
	}
	slices.SortFunc(run.Bars, func(a, b Bar) int {
		return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End), strings.Compare(a.URN, b.URN))
	})
	run.connect(graph, run.Operation == "destroy")
	run.measure()
	return run
}

// take processes one event.
func (r *Run) take(bars map[string]*Bar, at time.Time, event Event) {
	switch {
	case event.Pre != nil && !event.Pre.Planning && custom(event.Pre.Metadata.URN):
		urn := event.Pre.Metadata.URN
		if bar, again := bars[urn]; again {
			bar.Op = event.Pre.Metadata.Op // a replacement has several steps: keep the last
			return
		}
		bars[urn] = newBar(*event.Pre, at)
		r.Stack = stackOf(urn)
	case event.Done != nil:
		if bar := bars[event.Done.Metadata.URN]; bar != nil {
			bar.end(at, false)
		}
	case event.Failed != nil:
		if bar := bars[event.Failed.Metadata.URN]; bar != nil {
			bar.end(at, true)
		}
	case event.Diagnostic != nil:
		if bar := bars[event.Diagnostic.URN]; bar != nil {
			bar.note(event.Diagnostic.Message)
		}
	case event.End != nil:
		r.Complete = true
	}
}

// stackOf returns the stack's name in a URN.
func stackOf(urn string) string {
	stack, _, _ := strings.Cut(strings.TrimPrefix(urn, "urn:pulumi:"), "::")
	return stack
}
