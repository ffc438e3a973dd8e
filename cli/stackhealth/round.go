package stackhealth

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"strata/actions/hosts/inventory"
	"strata/cli/metrics"
	"strata/health"
	"strata/internal/files/atomicfile"
	"strata/internal/text/table"
)

// Round holds the results of one run of a stack's gates.
type Round struct {
	Stack string
	Gates []AskedGate
	// Reader is true if the gates ran with a read-only user's kubeconfig.
	Reader bool
	// All is true if Write also shows the reports of closed gates that depend on another closed
	// gate.
	All bool
	// expected holds the gates of the configuration, with which the results are compared.
	expected expected
}

// gateNames returns the names of the gates for which match is true.
func (r Round) gateNames(match func(AskedGate) bool) []string {
	var names []string
	for _, gate := range r.Gates {
		if match(gate) {
			names = append(names, gate.Gate)
		}
	}
	return names
}

// results returns the results of the gates, without the fields that compare the state with the
// configuration.
func (r Round) results() []health.Result {
	results := make([]health.Result, 0, len(r.Gates))
	for _, gate := range r.Gates {
		results = append(results, gate.Result)
	}
	return results
}

// setBehind sets Behind of each closed gate that depends on another closed gate.
func (r Round) setBehind(recorded []inventory.Gate) {
	roots := findRoots(recorded, r.results())
	for i := range r.Gates {
		r.Gates[i].Behind = roots[r.Gates[i].Gate]
	}
}

func (r Round) missingGates() []string {
	return r.gateNames(func(gate AskedGate) bool { return gate.State == health.Missing })
}

func (r Round) closedGates() []string {
	return r.gateNames(func(gate AskedGate) bool { return !gate.Passes() && !isUnasked(gate) })
}

// Open returns true if every gate is open that could run with the kubeconfig.
func (r Round) Open() bool { return len(r.closedGates()) == 0 }

// Unknown returns the reason why the configuration's gates could not be listed, so that a gate may
// be missing; nil if they were listed.
func (r Round) Unknown() error { return r.expected.unknown }

// WriteMetrics atomically writes the results as metrics to a file. If ctx has ended, it writes
// nothing, because the gates of an interrupted round were not really checked.
func (r Round) WriteMetrics(ctx context.Context, file string) error {
	if ctx.Err() != nil {
		return nil
	}
	var content bytes.Buffer
	if err := metrics.WriteHealth(&content,
		metrics.Health{Stack: r.Stack, Results: r.results(), Known: r.Unknown() == nil,
			At: time.Now()}); err != nil {
		return err
	}
	if err := atomicfile.Write(file, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}

// Write prints the table, and the missing and left-over gates. If reports is true, it also prints
// the report of each closed gate and the warnings of open ones. Callers set reports to false if the
// progress output contains the reports already.
func (r Round) Write(out io.Writer, reports bool) error {
	rows := table.New(out, "LAYER", "GATE", "STATE", "CHECKS", "AFTER")
	for _, gate := range r.Gates {
		if gate.State == health.Missing || isUnasked(gate) {
			rows.Row(gate.Layer, gate.Gate, string(gate.State), "-", "-")
			continue
		}
		passed := 0
		for _, check := range gate.Checks {
			if check.Passes() {
				passed++
			}
		}
		rows.Row(gate.Layer, gate.Gate, string(gate.State),
			fmt.Sprintf("%d/%d", passed, len(gate.Checks)),
			gate.Elapsed.Round(time.Millisecond).String())
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	if reports {
		if err := r.writeReports(out); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, r.summary())
	return err
}

// writeReports writes the reports and warnings of the gates that ran. It only counts closed gates
// that depend on another closed gate, unless All is set.
func (r Round) writeReports(out io.Writer) error {
	behind := map[string]string{}
	for _, gate := range r.Gates {
		switch {
		case gate.State == health.Missing || isUnasked(gate):
		case gate.Behind != "" && !r.All:
			behind[gate.Gate] = gate.Behind
		default:
			if err := writeDetails(out, gate.Result); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(out, countBehind(behind))
	return err
}

// writeDetails writes the report of a closed gate, and the warnings of an open one.
func writeDetails(out io.Writer, gate health.Result) error {
	if !gate.Passes() {
		return health.WriteReport(out, gate)
	}
	for _, line := range gate.Warnings() {
		if _, err := fmt.Fprintf(out, "warning %s: %s\n", gate.Gate, line); err != nil {
			return err
		}
	}
	return nil
}

// summary returns the missing and left-over gates, and the number of open gates.
func (r Round) summary() string {
	var text strings.Builder
	missing := r.missingGates()
	if len(missing) > 0 {
		fmt.Fprintf(&text,
			"missing: %s\n  %s asks for them and the stack does not have them: no up since then got to them\n"+
				"  run pulumi up -s %s, and see where it ends\n", strings.Join(missing, ", "),
			r.expected.file, r.Stack)
	}
	if left := r.gateNames(func(gate AskedGate) bool { return gate.LeftOver }); len(left) > 0 {
		fmt.Fprintf(&text,
			"left over: %s\n  the stack has them and %s does not ask for them any more; the next up removes them\n",
			strings.Join(left, ", "), r.expected.file)
	}
	text.WriteString(r.listUnasked())
	total := len(r.Gates) - len(r.gateNames(isUnasked))
	open := total - len(r.closedGates())
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
