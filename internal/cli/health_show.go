package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"strata/health"
)

// round is what one look at a stack's gates found.
type round struct {
	stack string
	gates []askedGate
	// expected is what the gates were held against.
	expected expected
}

// named are the gates that match.
func (r round) named(match func(askedGate) bool) []string {
	var names []string
	for _, gate := range r.gates {
		if match(gate) {
			names = append(names, gate.Gate)
		}
	}
	return names
}

// results are the gates' own.
func (r round) results() []health.Result {
	results := make([]health.Result, 0, len(r.gates))
	for _, gate := range r.gates {
		results = append(results, gate.Result)
	}
	return results
}

func (r round) missing() []string {
	return r.named(func(gate askedGate) bool { return gate.State == health.Missing })
}

func (r round) closed() []string {
	return r.named(func(gate askedGate) bool { return !gate.Passes() })
}

// show prints the round and returns the exit code as an error: 1 when a gate is not open, 2 when nobody can say whether one is missing.
func (r round) show(out io.Writer, flags healthFlags) error {
	var err error
	if flags.asJSON {
		err = json.NewEncoder(out).Encode(r.gates)
	} else {
		err = r.write(out, len(flags.only) == 0)
	}
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	switch {
	case len(r.closed()) > 0:
		return &exitError{1, r.expected.unknown}
	case r.expected.unknown != nil:
		return &exitError{2, r.expected.unknown}
	}
	return nil
}

// write prints the table, each failure's report unless that came with the progress, and what is missing or left over.
func (r round) write(out io.Writer, reports bool) error {
	table := newTable(out, "LAYER", "GATE", "STATE", "CHECKS", "AFTER")
	for _, gate := range r.gates {
		if gate.State == health.Missing {
			table.row(gate.Layer, gate.Gate, string(gate.State), "-", "-")
			continue
		}
		passed := 0
		for _, check := range gate.Checks {
			if check.Passes() {
				passed++
			}
		}
		table.row(gate.Layer, gate.Gate, string(gate.State), fmt.Sprintf("%d/%d", passed, len(gate.Checks)), gate.Elapsed.Round(time.Millisecond).String())
	}
	if err := table.flush(); err != nil {
		return err
	}
	for _, gate := range r.gates {
		if gate.Passes() || gate.State == health.Missing || !reports {
			continue
		}
		if err := health.WriteReport(out, gate.Result); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, r.summary())
	return err
}

// summary says what is missing and left over, and counts.
func (r round) summary() string {
	var text strings.Builder
	missing := r.missing()
	if len(missing) > 0 {
		fmt.Fprintf(&text, "missing: %s\n  %s asks for them and the stack does not have them: no up since then got to them\n"+
			"  run pulumi up -s %s, and look at where it ends\n", strings.Join(missing, ", "), r.expected.file, r.stack)
	}
	if left := r.named(func(gate askedGate) bool { return gate.LeftOver }); len(left) > 0 {
		fmt.Fprintf(&text, "left over: %s\n  the stack has them and %s does not ask for them any more; the next up removes them\n",
			strings.Join(left, ", "), r.expected.file)
	}
	total, open := len(r.gates), len(r.gates)-len(r.closed())
	switch {
	case r.expected.unknown != nil:
		fmt.Fprintf(&text, "%d of the %d gates that the state has open\n", open, total)
	case len(missing) > 0:
		fmt.Fprintf(&text, "%d of %d gates open, %d missing\n", open, total, len(missing))
	default:
		fmt.Fprintf(&text, "%d of %d gates open\n", open, total)
	}
	return text.String()
}
