package timeline

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Line is one line of a recording. It has either an Event or a Graph.
type Line struct {
	// At is the time at which the event arrived.
	At time.Time `json:"at"`
	// Event is an event in the engine's own format (pulumi sdk/go/common/apitype/events.go:
	// EngineEvent).
	Event *Event `json:"event,omitempty"`
	// Graph holds the dependencies of each resource, by URN.
	Graph map[string][]string `json:"graph,omitempty"`
}

// Event holds the fields of an engine event that the timeline reads.
type Event struct {
	Pre    *Step    `json:"resourcePreEvent,omitempty"`
	Done   *Step    `json:"resOutputsEvent,omitempty"`
	Failed *Step    `json:"resOpFailedEvent,omitempty"`
	End    *Summary `json:"summaryEvent,omitempty"`
	// Diagnostic is a line of output from a resource's provider. Only gates' lines are recorded,
	// because these contain no secret.
	Diagnostic *Diagnostic `json:"diagnosticEvent,omitempty"`
}

// Diagnostic is one line of output.
type Diagnostic struct {
	URN     string `json:"urn"`
	Message string `json:"message"`
}

// Step is one operation of the engine on a resource.
type Step struct {
	Metadata struct {
		Op   string `json:"op"`
		URN  string `json:"urn"`
		Type string `json:"type"`
		// Old and New are the resource before and after the step; a create has no Old, and a delete
		// no New.
		Old *State `json:"old,omitempty"`
		New *State `json:"new,omitempty"`
	} `json:"metadata"`
	// Planning is true in a preview.
	Planning bool `json:"planning,omitempty"`
}

// State holds the fields of a resource that the timeline reads.
type State struct {
	Inputs Inputs `json:"inputs"`
}

// Inputs holds those inputs of a command that the timeline reads. They are only used if the
// resource is a command, because other resources' inputs may have the same names.
type Inputs struct {
	// Create is the script of a command.
	Create any `json:"create,omitempty"`
	// Stdin is a command's standard input. For a gate, it is the health.Spec. It is not recorded.
	Stdin any `json:"stdin,omitempty"`
	// GateKind is the health.Kind of a gate. The recorder sets it from Stdin; the engine does not
	// write it.
	GateKind string `json:"gateKind,omitempty"`
}

// gate reports whether the step's resource is a gate.
func (s Step) gate() bool {
	command, _ := s.inputs().Create.(string)
	return s.Metadata.Type == "command:local:Command" && strings.HasSuffix(command, "strata gate")
}

// inputs returns the resource's inputs after the step; for a delete, those before it.
func (s Step) inputs() Inputs {
	switch {
	case s.Metadata.New != nil:
		return s.Metadata.New.Inputs
	case s.Metadata.Old != nil:
		return s.Metadata.Old.Inputs
	}
	return Inputs{}
}

// Summary is the engine's last event. The recording of a killed run has none.
type Summary struct {
	Changes map[string]int `json:"resourceChanges"`
}

// lineLimit bounds one line in bytes. It is large, because an event contains all inputs of a
// resource.
const lineLimit = 64 << 20

// Read reads a recording. It drops a last line that is incomplete, because a kill may have cut it
// off.
func Read(in io.Reader) ([]Line, error) {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 64<<10), lineLimit)
	var lines []Line
	var broken error
	for scanner.Scan() {
		if broken != nil {
			return nil, broken
		}
		var line Line
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			broken = fmt.Errorf("recording: line %d: %w", len(lines)+1, err)
			continue
		}
		lines = append(lines, line)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	if len(lines) == 0 {
		return nil, errors.New("recording: no line can be read")
	}
	return lines, nil
}
