package stackhealth

import (
	"context"
	"fmt"
	"slices"

	"strata/config"
	"strata/health"
	"strata/platform"
)

// expected are the gates that a stack should have.
type expected struct {
	// file is the stack file that asks for them.
	file  string
	gates []health.Spec
	// unknown is the reason why the gates may be incomplete; nil if they are complete.
	unknown error
}

// expectedGates reads the stack file, as the program itself does. The state only has the gates that
// the last update reached.
func expectedGates(ctx context.Context, q Question) expected {
	e := expected{file: q.File}
	if e.file == "" {
		e.file = config.StackFile(q.Project, q.Stack)
	}
	cfg, err := config.OfStack(q.Project, q.Stack, e.file)
	if err == nil {
		e.gates, err = platform.Gates(ctx, cfg)
	}
	if err != nil {
		e.unknown = fmt.Errorf("which gates the configuration asks for is unknown, and so whether one is missing: %w; "+
			"name the file of the last up with --config-file", err)
	}
	return e
}

// has reports whether the configuration has a gate.
func (e expected) has(name string) bool {
	return slices.ContainsFunc(e.gates, func(spec health.Spec) bool { return spec.Gate == name })
}

// merge sorts the results of the state's gates by the program's order, and adds the gates that the
// state lacks as missing. Gates that the configuration does not have come last.
func (e expected) merge(results []health.Result) []AskedGate {
	var all []AskedGate
	for _, spec := range e.gates {
		i := slices.IndexFunc(results, func(result health.Result) bool {
			return result.Gate == spec.Gate
		})
		if i < 0 {
			all = append(all, AskedGate{Result: health.NotMade(spec)})
			continue
		}
		all = append(all, AskedGate{Result: results[i]})
	}
	for _, result := range results {
		if !e.has(result.Gate) {
			all = append(all, AskedGate{Result: result, LeftOver: e.unknown == nil})
		}
	}
	return all
}

// AskedGate holds a gate's answer.
type AskedGate struct {
	health.Result
	// LeftOver is true if the configuration no longer has the gate.
	LeftOver bool `json:"leftOver,omitempty"`
	// Behind is the closed gate that a closed gate stands on; empty if it has a cause of its own.
	Behind string `json:"behind,omitempty"`
}
