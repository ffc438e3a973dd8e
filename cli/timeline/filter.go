package timeline

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
)

// messageLimit bounds a recorded line, in bytes. A gate's evidence may be longer; the run's own
// output has all of it.
const messageLimit = 400

// filter selects the engine's events to record: operations, the end of the run, and gates' output.
// It drops the output and the inputs of other resources, because both may contain a secret.
type filter struct{ gates map[string]bool }

// reduce removes the parts of an event that must not be recorded. It returns false if the event
// need not be recorded at all.
func (f *filter) reduce(event *Event) bool {
	for _, step := range []*Step{event.Pre, event.Done, event.Failed} {
		if step != nil {
			f.step(step)
		}
	}
	if event.Diagnostic != nil {
		if event.Diagnostic.Message = plain(
			event.Diagnostic.Message); !f.gates[event.Diagnostic.URN] ||
			event.Diagnostic.Message == "" {
			event.Diagnostic = nil
		}
	}
	return *event != (Event{})
}

// step removes the inputs of a resource. Of a gate's inputs, only Create and the kind remain.
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

// kindIn returns the kind in a gate's Spec, which is the gate's standard input. It is empty in a
// preview if the Spec is not known yet.
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

// colours matches the engine's tags for colours (pulumi sdk/go/common/diag/colors).
var colours = regexp.MustCompile(`<\{%[^%]*%\}>`)

// plain returns a line without colours and control characters, of at most messageLimit bytes.
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
