package timeline

import (
	"strings"
	"time"

	"strata/internal/text/seen"
)

// messagesKept limits the lines that a bar keeps of a gate: its wait, its end, and the outcome.
const messagesKept = 3

// Bar describes one resource's step in a run.
type Bar struct {
	URN  string `json:"urn"`
	Name string `json:"name"`
	// Layer is the resource's component, for example k3s or traefik; empty for a resource without
	// one.
	Layer string `json:"layer"`
	Type  string `json:"type"`
	// Op is the engine's name of the step: create, update, delete, same and others.
	Op    string    `json:"op"`
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Gate is true for a resource that only observes. Kind is its health.Kind; empty in recordings
	// that do not have it.
	Gate bool   `json:"gate,omitempty"`
	Kind string `json:"kind,omitempty"`
	// Failed is true if the engine reported a failure. Open is true if the run ended before the
	// step.
	Failed bool `json:"failed,omitempty"`
	Open   bool `json:"open,omitempty"`
	// Needs are the URNs of the resources in this run that the bar waited for.
	Needs []string `json:"needs,omitempty"`
	// WaitedFor is the resource of Needs that ended last. Delay is the time from its end to the
	// bar's start, which no dependency explains. Without Needs, it counts from the run's start.
	WaitedFor string        `json:"waitedFor,omitempty"`
	Delay     time.Duration `json:"delay"`
	// Messages are the last lines of a gate's progress and its outcome, oldest first.
	Messages []string `json:"said,omitempty"`
	// Lag is the time from a gate's deciding observation to the bar's end. Nil if the recording
	// does not have it.
	Lag *time.Duration `json:"lag,omitempty"`
	// Critical is true if the bar is on the critical path.
	Critical bool `json:"critical,omitempty"`

	seen time.Time
}

// Duration returns the length of the bar.
func (b Bar) Duration() time.Duration { return b.End.Sub(b.Start) }

// IsObserved reports whether the bar is a gate that observed in this run: an unchanged or deleted
// one does not.
func (b Bar) IsObserved() bool { return b.Gate && b.Op != "same" && b.Op != "delete" }

func newBar(step Step, at time.Time) *Bar {
	meta := step.Metadata
	bar := &Bar{
		URN: meta.URN, Name: meta.URN[strings.LastIndex(meta.URN, "::")+2:], Type: meta.Type,
		Op: meta.Op, Start: at,
		Gate: step.gate(), Kind: step.inputs().GateKind,
	}
	for _, kind := range kindsOf(meta.URN) {
		if component, ours := strings.CutPrefix(kind, "strata:"); ours {
			bar.Layer = component[:strings.IndexAny(component, "/:")]
		}
	}
	return bar
}

// note keeps a line of the gate's progress.
func (b *Bar) note(line string) {
	line = plain(line) // a recording may have been written by another version
	if at, found := seen.Parse(line); found {
		b.seen = at
		return
	}
	// Only progress and the report's line with the outcome are kept. The run's own output has the
	// report's other lines.
	if strings.HasPrefix(line, b.Name+": ") || strings.HasPrefix(line, "layer ") {
		b.Messages = append(b.Messages, line)
		b.Messages = b.Messages[max(0, len(b.Messages)-messagesKept):]
	}
}

// end closes the bar.
func (b *Bar) end(at time.Time, failed bool) {
	b.End, b.Failed = at, failed
	if lag := at.Sub(b.seen); !b.seen.IsZero() && lag >= 0 {
		b.Lag = &lag
	}
}

// kindsOf returns the types in a URN: those of the resource's parents, and its own last
// (urn:pulumi:STACK::PROJECT::TYPES::NAME).
func kindsOf(urn string) []string {
	parts := strings.SplitN(urn, "::", 4)
	if len(parts) < 4 {
		return []string{""}
	}
	return strings.Split(parts[2], "$")
}

// custom reports whether a URN is of a resource that a provider manages: neither the stack nor one
// of our components.
func custom(urn string) bool {
	kinds := kindsOf(urn)
	kind := kinds[len(kinds)-1]
	return !strings.HasPrefix(kind, "strata:") && kind != "pulumi:pulumi:Stack"
}
