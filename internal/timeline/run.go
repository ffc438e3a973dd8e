package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Bar is one resource's part of a run.
type Bar struct {
	URN  string `json:"urn"`
	Name string `json:"name"`
	// Layer is the resource's component, for example k3s or traefik; empty for what stands alone.
	Layer string `json:"layer"`
	Type  string `json:"type"`
	// Op is what was done: create, update, delete, same and others of the engine's words.
	Op    string    `json:"op"`
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Gate is true for a resource that only looks.
	Gate bool `json:"gate,omitempty"`
	// Failed is true where the engine said so; Open where the run ended first.
	Failed bool `json:"failed,omitempty"`
	Open   bool `json:"open,omitempty"`
	// Needs are the URNs that the bar waited for, of this run.
	Needs []string `json:"needs,omitempty"`
	// Critical is true on the critical path.
	Critical bool `json:"critical,omitempty"`
}

// Duration is how long the bar is.
func (b Bar) Duration() time.Duration { return b.End.Sub(b.Start) }

// Run is a whole run.
type Run struct {
	Bars []Bar `json:"bars"`
	// Complete is false where the run was killed: the engine said no last word.
	Complete bool `json:"complete"`
	// Wall is from the first bar's start to the last one's end.
	Wall time.Duration `json:"wall"`
	// Path is the length of the critical path: the longest chain of bars that need each other.
	Path time.Duration `json:"criticalPath"`
	// Gates is how long gates waited, all together; Serial how long everything would have taken in a row.
	Gates  time.Duration `json:"gates"`
	Serial time.Duration `json:"serial"`
}

// Ratio is wall time by critical path: 1 is a run that nothing but its own edges held up. Zero where nothing took time.
func (r Run) Ratio() float64 {
	if r.Path == 0 {
		return 0
	}
	return float64(r.Wall) / float64(r.Path)
}

// New computes the run of a recording. Components are left out: they take no time of their own.
func New(lines []Line) Run {
	bars := map[string]*Bar{}
	graph := map[string][]string{}
	run := Run{}
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
			bar.End, bar.Open = last, true
		}
		if bar.Op == "delete" {
			deletes++
		}
		run.Bars = append(run.Bars, *bar)
	}
	slices.SortFunc(run.Bars, func(a, b Bar) int {
		return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End), strings.Compare(a.URN, b.URN))
	})
	run.connect(graph, deletes > len(bars)/2)
	run.measure()
	return run
}

// take notes one event.
func (r *Run) take(bars map[string]*Bar, at time.Time, event Event) {
	switch {
	case event.Pre != nil && !event.Pre.Planning && custom(event.Pre.Metadata.URN):
		urn := event.Pre.Metadata.URN
		if bar, again := bars[urn]; again {
			bar.Op = event.Pre.Metadata.Op // a replacement has several steps
			return
		}
		bars[urn] = newBar(*event.Pre, at)
	case event.Done != nil:
		if bar := bars[event.Done.Metadata.URN]; bar != nil {
			bar.End = at
		}
	case event.Failed != nil:
		if bar := bars[event.Failed.Metadata.URN]; bar != nil {
			bar.End, bar.Failed = at, true
		}
	case event.End != nil:
		r.Complete = true
	}
}

// custom reports whether a URN is of a resource that a provider acts on: neither the stack nor one of our components.
func custom(urn string) bool {
	kinds := kindsOf(urn)
	kind := kinds[len(kinds)-1]
	return !strings.HasPrefix(kind, "strata:") && kind != "pulumi:pulumi:Stack"
}

// kindsOf are the types in a URN: those of the resource's parents, and its own last (urn:pulumi:STACK::PROJECT::TYPES::NAME).
func kindsOf(urn string) []string {
	parts := strings.SplitN(urn, "::", 4)
	if len(parts) < 4 {
		return []string{""}
	}
	return strings.Split(parts[2], "$")
}

func newBar(step Step, at time.Time) *Bar {
	meta := step.Metadata
	bar := &Bar{URN: meta.URN, Name: meta.URN[strings.LastIndex(meta.URN, "::")+2:], Type: meta.Type, Op: meta.Op, Start: at, Gate: step.gate()}
	for _, kind := range kindsOf(meta.URN) {
		if component, ours := strings.CutPrefix(kind, "strata:"); ours {
			bar.Layer, _, _ = strings.Cut(component, ":")
		}
	}
	return bar
}
