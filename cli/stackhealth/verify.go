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
	// updateLimit bounds each gate at the end of an update. It leaves time for faults that a change
	// causes only after some seconds.
	updateLimit = time.Minute
	// previewLimit bounds each gate in a preview. A preview changes nothing, so a working gate
	// passes at once.
	previewLimit = 10 * time.Second
)

// Verify runs, in parallel, the gates that no step has run since began. It starts when no step of a
// gate is pending any more. A closed gate makes an update fail, without reverting any change; in a
// preview it causes only a warning. Verify skips gates that do not exist yet. If a step has failed,
// it runs no gate, because the engine reports that step.
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
		recorded, _ := inventory.Gates(state) // without them, every closed gate has its own report
		roots = findRoots(recorded, closed)
	}
	err := q.reportClosed(closed, len(idle), roots)
	if ctx.DryRun() {
		return ctx.Log.Warn(err.Error(), nil)
	}
	return err
}

// findIdleGates waits until the outputs of all gates are known. It returns the gates whose last run
// ended before began; none if a step has failed.
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
			continue // in a preview: the update will run this gate
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
			continue // in a preview: another version of the program wrote this gate
		}
		idle = append(idle, recorded)
	}
	return idle
}

// reportClosed returns an error with the report of each closed gate that has no root, and the
// number of the remaining closed gates.
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

// statusWriter writes the progress of gates to Pulumi's status line, which is not kept in the log.
type statusWriter struct{ ctx *pulumi.Context }

func (s statusWriter) Write(text []byte) (int, error) {
	line := strings.TrimRight(string(text), "\n")
	return len(text), s.ctx.Log.Info(line, &pulumi.LogArgs{Ephemeral: true})
}
