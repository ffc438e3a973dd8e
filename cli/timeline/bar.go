package timeline

import (
	"strings"
	"time"

	"strata/internal/text/seen"
)

// messagesKept is the number of a gate's last lines that a bar keeps.
const messagesKept = 3

// Bar describes the operation on one resource in a run.
type Bar struct {
	URN  string `json:"urn"`
	Name string `json:"name"`
	// Layer is the first part of the component's type token, for example k3s or traefik; empty for
	// a resource without a component.
	Layer string `json:"layer"`
	Type  string `json:"type"`
	// Op is the engine's name of the operation: create, update, delete, same and others.
	Op    string    `json:"op"`
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Gate is true if the resource is a gate. Kind is the gate's health.Kind; empty if the
	// recording lacks it.
	Gate bool   `json:"gate,omitempty"`
	Kind string `json:"kind,omitempty"`
	// Failed is true if the engine reported a failure. Open is true if the run ended before the
	// operation did.
	Failed bool `json:"failed,omitempty"`
	Open   bool `json:"open,omitempty"`
	// Needs are the URNs of the resources in this run whose operations had to finish before this
	// operation could start.
	Needs []string `json:"needs,omitempty"`
	// WaitedFor is the resource of Needs that finished last. Delay is the time from the end of its
	// operation to Start, which no dependency explains. Without Needs, Delay counts from the run's
	// start.
	WaitedFor string        `json:"waitedFor,omitempty"`
	Delay     time.Duration `json:"delay"`
	// Messages are the last lines that a gate printed (progress and outcome), oldest first.
	Messages []string `json:"said,omitempty"`
	// Lag is the time from the observation that decided a gate to the bar's end. Nil if the
	// recording lacks that observation.
	Lag *time.Duration `json:"lag,omitempty"`
	// Critical is true if the bar is on the critical path.
	Critical bool `json:"critical,omitempty"`

	seen time.Time
}

// Duration returns the length of the bar.
func (b Bar) Duration() time.Duration { return b.End.Sub(b.Start) }

// IsObserved reports whether the bar is a gate that ran. A gate with operation same or delete did
// not run.
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

// note stores a line that the gate printed: the time of its deciding observation, or a message.
func (b *Bar) note(line string) {
	line = plain(line) // another version may have recorded it with colours
	if at, found := seen.Parse(line); found {
		b.seen = at
		return
	}
	// Keep only progress and the outcome. The other lines of the report are in the run's own
	// output.
	if strings.HasPrefix(line, b.Name+": ") || strings.HasPrefix(line, "layer ") {
		b.Messages = append(b.Messages, line)
		b.Messages = b.Messages[max(0, len(b.Messages)-messagesKept):]
	}
}

// end sets the bar's End, its Failed and, for a gate with a deciding observation, its Lag.
func (b *Bar) end(at time.Time, failed bool) {
	b.End, b.Failed = at, failed
	if lag := at.Sub(b.seen); !b.seen.IsZero() && lag >= 0 {
		b.Lag = &lag
	}
}

// kindsOf returns the types in a URN, urn:pulumi:STACK::PROJECT::TYPES::NAME: first the types of
// the resource's parents, last its own.
func kindsOf(urn string) []string {
	parts := strings.SplitN(urn, "::", 4)
	if len(parts) < 4 {
		return []string{""}
	}
	return strings.Split(parts[2], "$")
}

// custom reports whether a URN belongs to a resource that a provider manages, and not to the stack
// or to one of Strata's components.
func custom(urn string) bool {
	kinds := kindsOf(urn)
	kind := kinds[len(kinds)-1]
	return !strings.HasPrefix(kind, "strata:") && kind != "pulumi:pulumi:Stack"
}
