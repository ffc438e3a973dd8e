package stackhealth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/hosts/inventory"
	"strata/health"
	"strata/health/kinds"
	"strata/internal/pulumi/stackstate"
)

// atOnce bounds the number of gates that run in parallel.
const atOnce = 16

// Question selects the gates to run, and bounds each of them.
type Question struct {
	// Stack is the stack's name and Project its folder. File is the path of the stack file; if
	// empty, the project's own.
	Stack, Project, File string
	// All makes Write print the reports of all closed gates, also of those that depend on another
	// closed gate.
	All bool
	// Only lists the names of the gates to run; if empty, all run.
	Only []string
	// Timeout bounds each gate. TimeoutKey names the flag or key that sets it, for messages.
	Timeout    time.Duration
	TimeoutKey string
	// Reader is the kubeconfig of a read-only user. If it is set, Ask decrypts no secret of the
	// state, and skips checks that need more permissions. Optional.
	Reader []byte
}

// UnknownGateError reports that a Question names a gate that is in neither the state nor the
// configuration.
type UnknownGateError struct{ cause error }

func (e *UnknownGateError) Error() string { return e.cause.Error() }

// Unwrap returns the reason why the list of names may be incomplete.
func (e *UnknownGateError) Unwrap() error { return e.cause }

// Ask runs the gates of the state, each with its Spec from the state, and compares them with the
// gates of the configuration. It writes the gates' progress to progress. For an unknown name, it
// returns an UnknownGateError. It also fails if neither the state nor the configuration has a gate.
func (q Question) Ask(ctx context.Context, progress io.Writer) (Round, error) {
	recorded, err := q.recordedGates(ctx)
	if err != nil {
		return Round{}, err
	}
	gates := recorded
	want := expectedGates(ctx, q)
	if len(q.Only) > 0 {
		if gates, want, err = selectGates(gates, want, q.Only); err != nil {
			return Round{}, &UnknownGateError{err}
		}
	}
	if len(gates) == 0 && len(want.gates) == 0 {
		return Round{}, errors.Join(
			fmt.Errorf("stack %s has no gates: nothing of it is up; run pulumi up -s %s", q.Stack,
				q.Stack),
			want.unknown)
	}
	var results []health.Result
	if q.reads() {
		gates, results = ofReader(gates, q.Reader)
		if len(gates) == 0 && len(results) > 0 {
			return Round{}, fmt.Errorf("none of %d gates can be asked with this kubeconfig: the first %s",
				len(results), results[0].Checks[0].Message)
		}
	}
	results = append(results, q.askAll(ctx, gates, progress)...)
	round := Round{Stack: q.Stack, Gates: want.merge(results), Reader: q.reads(), All: q.All,
		expected: want}
	round.setBehind(recorded)
	return round, nil
}

// reads reports whether the question has the kubeconfig of a read-only user.
func (q Question) reads() bool { return len(q.Reader) > 0 }

// recordedGates returns the gates in the stack's state; none if the stack does not exist.
func (q Question) recordedGates(ctx context.Context) ([]inventory.Gate, error) {
	read := stackstate.CommandLine(q.Project).Read
	if q.reads() {
		read = stackstate.CommandLine(q.Project).ReadEncrypted
	}
	state, err := read(ctx, q.Stack)
	if errors.Is(err, stackstate.ErrNoStack) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return inventory.Gates(state)
}

// selectGates selects gates by name, from the state and from the configuration. It fails for a name
// that neither has, because a round without gates must not count as healthy.
func selectGates(
	gates []inventory.Gate, want expected, names []string,
) ([]inventory.Gate, expected, error) {
	var selected []inventory.Gate
	wanted := expected{file: want.file}
	for _, name := range names {
		recorded := slices.IndexFunc(gates,
			func(gate inventory.Gate) bool { return gate.Spec.Gate == name })
		if recorded >= 0 {
			selected = append(selected, gates[recorded])
		}
		i := slices.IndexFunc(want.gates, func(spec health.Spec) bool { return spec.Gate == name })
		switch {
		case i >= 0:
			wanted.gates = append(wanted.gates, want.gates[i])
		case recorded >= 0 && want.unknown != nil:
			// The configuration could not be read, so the state's gate stands in for the expected
			// one.
			wanted.gates = append(wanted.gates, gates[recorded].Spec)
		case recorded < 0:
			return nil, want, errors.Join(
				fmt.Errorf("no gate is called %s; there are %s", name,
					strings.Join(gateNames(gates, want), ", ")), want.unknown)
		}
	}
	return selected, wanted, nil
}

// gateNames returns the names of all gates in the state or the configuration.
func gateNames(gates []inventory.Gate, want expected) []string {
	var names []string
	for _, gate := range gates {
		names = append(names, gate.Spec.Gate)
	}
	for _, spec := range want.gates {
		if !slices.Contains(names, spec.Gate) {
			names = append(names, spec.Gate)
		}
	}
	return names
}

// askAll runs the gates in parallel, each bounded by q.Timeout, and returns the results in the
// order of gates.
func (q Question) askAll(
	ctx context.Context, gates []inventory.Gate, progress io.Writer,
) []health.Result {
	results := make([]health.Result, len(gates))
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, gate := range gates {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			gate.Spec.Timeout = metav1.Duration{Duration: q.Timeout}
			gate.Spec.TimeoutKey = q.TimeoutKey
			result, err := kinds.Run(ctx, gate.Spec, gate.Secrets, progress)
			if err != nil {
				result = health.Result{
					Gate: gate.Spec.Gate, Layer: gate.Spec.Layer, Kind: gate.Spec.Kind(),
					State: health.Stuck, Ending: health.EndedStuck,
					Checks: []health.Verdict{{Check: "spec", State: health.Stuck,
						Message: err.Error(), Hint: "run pulumi up, which writes it anew"}},
				}
			}
			results[i] = result
		})
	}
	all.Wait()
	return results
}
