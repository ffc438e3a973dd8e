package stackhealth

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"strata/actions/hosts/inventory"
	"strata/components"
	"strata/health"
	"strata/internal/pulumi/stackstate"
)

const (
	// updateLimit bounds each gate at the end of an update. The effect of a change may take a
	// moment to show.
	updateLimit = time.Minute
	// previewLimit bounds each gate in a preview, which has changed nothing.
	previewLimit = 10 * time.Second
)

// Verify asks the gates that no step of the run has run since began. It asks them in parallel,
// after the last step of every gate. A closed gate fails an update, which undoes nothing, and is a
// warning in a preview. Gates that do not exist yet are skipped. After a failed step Verify asks
// nothing: the engine reports that step.
func Verify(ctx *pulumi.Context, began time.Time, gates []*components.Gate) error {
	limit := updateLimit
	if ctx.DryRun() {
		limit = previewLimit
	}
	return Question{Stack: ctx.Stack(), Timeout: limit}.verify(ctx, began, gates)
}

func (q Question) verify(ctx *pulumi.Context, began time.Time, gates []*components.Gate) error {
	idle := findIdleGates(ctx, began, gates)
	var closed []health.Result
	for _, result := range q.askAll(ctx.Context(), idle, statusWriter{ctx}) {
		if !result.Passes() {
			closed = append(closed, result)
		}
	}
	if len(closed) == 0 {
		return nil
	}
	var roots map[string]string
	if state, err := stackstate.CommandLine(q.Project).ReadEncrypted(ctx.Context(),
		q.Stack); err == nil {
		recorded, _ := inventory.Gates(state) // without them, each gate has its report
		roots = findRoots(recorded, closed)
	}
	err := q.reportClosed(closed, len(idle), roots)
	if ctx.DryRun() {
		return ctx.Log.Warn(err.Error(), nil)
	}
	return err
}

// findIdleGates waits until every gate is known, and returns the gates whose last run ended before
// a time. It returns none after a failed step.
func findIdleGates(
	ctx *pulumi.Context, began time.Time, gates []*components.Gate,
) (idle []inventory.Gate) {
	for _, gate := range gates {
		now, err := internals.UnsafeAwaitOutput(ctx.Context(),
			pulumi.All(gate.Stdin, gate.Stdout, gate.Environment))
		if err != nil {
			return nil
		}
		values, ok := now.Value.([]any)
		if !ok || !now.Known {
			continue // the preview of a gate that will run
		}
		var last health.Result
		if err := json.Unmarshal([]byte(values[1].(string)), &last); err == nil &&
			last.Ended.After(began) {
			continue
		}
		environment := values[2].(map[string]string)
		recorded, err := inventory.ReadGate(*values[0].(*string),
			func(name string) string { return environment[name] })
		if err != nil {
			continue // the preview of a gate that another version of the program wrote
		}
		idle = append(idle, recorded)
	}
	return idle
}

// reportClosed returns the error of a run whose platform does not work. It has no report of a gate
// with a root, and counts it.
func (q Question) reportClosed(closed []health.Result, asked int, roots map[string]string) error {
	var names, reports []string
	for _, result := range closed {
		names = append(names, result.Gate)
		if roots[result.Gate] == "" {
			reports = append(reports, result.Report())
		}
	}
	reports = append(reports, countBehind(roots))
	return fmt.Errorf(
		"the platform of stack %s does not work: %d of the %d gates that no step of this run ran are closed (%s); "+
			"nothing is undone\n%slook further: strata health -s %s; strata:verify: off ends runs without asking",
		q.Stack, len(closed), asked, strings.Join(names, ", "), strings.Join(reports, ""), q.Stack)
}

// statusWriter shows the progress of gates on the run's status line, which is temporary.
type statusWriter struct{ ctx *pulumi.Context }

func (s statusWriter) Write(text []byte) (int, error) {
	line := strings.TrimRight(string(text), "\n")
	return len(text), s.ctx.Log.Info(line, &pulumi.LogArgs{Ephemeral: true})
}
