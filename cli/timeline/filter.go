package timeline

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
)

// messageLimit bounds a recorded line, in bytes: a gate's evidence is long, and the run's own
// output has it.
const messageLimit = 400

// filter decides what of the engine's events is recorded: steps and the end, and what gates wrote.
// What any other resource wrote, and what any of them was given, may hold a secret.
type filter struct{ gates map[string]bool }

// reduce leaves of an event what a recording may hold; false where that is nothing.
func (f *filter) reduce(event *Event) bool {
	for _, step := range []*Step{event.Pre, event.Done, event.Failed} {
		if step != nil {
			f.step(step)
		}
	}
	if event.Diagnostic != nil {
		if event.Diagnostic.Message = plain(event.Diagnostic.Message); !f.gates[event.Diagnostic.URN] || event.Diagnostic.Message == "" {
			event.Diagnostic = nil
		}
	}
	return *event != (Event{})
}

// step notes a gate and its kind, and leaves nothing else of what a resource was given.
func (f *filter) step(step *Step) {
	gate := step.gate()
	if gate {
		if f.gates == nil {
			f.gates = map[string]bool{}
		}
		f.gates[step.Metadata.URN] = true
	}
	for _, state := range []*State{step.Metadata.Old, step.Metadata.New} {
		if state == nil {
			continue
		}
		if gate {
			state.Inputs = Inputs{Create: state.Inputs.Create, GateKind: kindIn(state.Inputs.Stdin)}
		} else {
			state.Inputs = Inputs{}
		}
	}
}

// kindIn is the kind in a gate's spec; empty where that is not known yet, as in a preview.
func kindIn(stdin any) string {
	text, _ := stdin.(string)
	var spec struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		return ""
	}
	return spec.Kind
}

// colours are the engine's marks for colours (pulumi sdk/go/common/diag/colors).
var colours = regexp.MustCompile(`<\{%[^%]*%\}>`)

// plain is a line without colours and control characters, bounded.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.TrimSpace(colours.ReplaceAllString(text, "")))
	if len(text) > messageLimit {
		text = strings.ToValidUTF8(text[:messageLimit], "") + "…"
	}
	return text
}
