package timeline

import (
	"strings"
	"time"

	"strata/internal/text/seen"
)

// messagesKept limits the lines that a bar keeps of a gate: its wait, the end of it, and the
// outcome.
const messagesKept = 3

// Bar is one resource's part of a run.
type Bar struct {
	URN  string `json:"urn"`
	Name string `json:"name"`
	// Layer is the resource's component, for example k3s or traefik; empty for what stands alone.
	Layer string `json:"layer"`
	Type  string `json:"type"`
	// Op is the step: create, update, delete, same and others of the engine's words.
	Op    string    `json:"op"`
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Gate is true for a resource that only observes; Kind is its health.Kind, empty in recordings
	// that do not have it.
	Gate bool   `json:"gate,omitempty"`
	Kind string `json:"kind,omitempty"`
	// Failed is true where the engine reported so; Open where the run ended first.
	Failed bool `json:"failed,omitempty"`
	Open   bool `json:"open,omitempty"`
	// Needs are the URNs that the bar waited for, of this run.
	Needs []string `json:"needs,omitempty"`
	// WaitedFor is the one of Needs that ended last; Delay is how long after it, or after the run's
	// start where there is none, the bar began: nothing that it needs explains that time.
	WaitedFor string        `json:"waitedFor,omitempty"`
	Delay     time.Duration `json:"delay"`
	// Messages are the last lines of a gate's progress and how it ended, oldest first.
	Messages []string `json:"said,omitempty"`
	// Lag is, for a gate, from when the observation came in that decided to the bar's end. Nil
	// where the recording does not say.
	Lag *time.Duration `json:"lag,omitempty"`
	// Critical is true on the critical path.
	Critical bool `json:"critical,omitempty"`

	seen time.Time
}

// Duration returns the length of the bar.
func (b Bar) Duration() time.Duration { return b.End.Sub(b.Start) }

// Observed reports whether the bar is a gate that observed in this run: one that stays as it is, or
// goes, does not.
func (b Bar) Observed() bool { return b.Gate && b.Op != "same" && b.Op != "delete" }

func newBar(step Step, at time.Time) *Bar {
	meta := step.Metadata
	bar := &Bar{
		URN: meta.URN, Name: meta.URN[strings.LastIndex(meta.URN, "::")+2:], Type: meta.Type, Op: meta.Op, Start: at,
		Gate: step.gate(), Kind: step.inputs().GateKind,
	}
	for _, kind := range kindsOf(meta.URN) {
		if component, ours := strings.CutPrefix(kind, "strata:"); ours {
			bar.Layer, _, _ = strings.Cut(component, ":")
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
	// Progress, and the line of a report that names the outcome; the report's other lines are for
	// the run's own output.
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

// kindsOf are the types in a URN: those of the resource's parents, and its own last
// (urn:pulumi:STACK::PROJECT::TYPES::NAME).
func kindsOf(urn string) []string {
	parts := strings.SplitN(urn, "::", 4)
	if len(parts) < 4 {
		return []string{""}
	}
	return strings.Split(parts[2], "$")
}

// custom reports whether a URN is of a resource that a provider acts on: neither the stack nor one
// of our components.
func custom(urn string) bool {
	kinds := kindsOf(urn)
	kind := kinds[len(kinds)-1]
	return !strings.HasPrefix(kind, "strata:") && kind != "pulumi:pulumi:Stack"
}
