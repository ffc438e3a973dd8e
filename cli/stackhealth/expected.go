package stackhealth

import (
	"context"
	"fmt"
	"slices"

	"strata/config"
	"strata/health"
	"strata/platform"
)

// expected holds the gates of the configuration.
type expected struct {
	// file is the path of the stack file.
	file  string
	gates []health.Spec
	// unknown is the reason why the gates could not be listed; nil if they were.
	unknown error
}

// expectedGates lists the gates of the stack file, as the Pulumi program would. Gates that no
// update has created are missing in the state.
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

// merge sorts the results of the state's gates in the program's order. It adds a missing result for
// each gate that only the configuration has. Gates that are only in the state come last.
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

// AskedGate is the result of one gate in a round.
type AskedGate struct {
	health.Result
	// LeftOver is true if the gate is in the state but no longer in the configuration.
	LeftOver bool `json:"leftOver,omitempty"`
	// Behind is the name of the first closed gate on which this closed gate depends; empty if there
	// is none.
	Behind string `json:"behind,omitempty"`
}
