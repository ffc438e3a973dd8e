package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const source = `package kind

import "strata/health"

// judge has each kind of code that has mutants.
func judge(seen, stuck bool, names []string) health.State {
	const limit = 2 > 1
	for _, name := range names {
		if name == "" {
			continue // no name
		}
	}
	switch {
	case stuck:
		return health.Stuck
	case !seen || len(names) > 0 &&
		len(names) <= 3: // a comment stays
		return health.Waiting
	}
	return health.Ready
}

func observe(ctx context.Context) bool { return 1 > 2 }
`

const instrumented = `package kind; import mutated "strata/tests/gates/mutants/choice"

import "strata/health"

// judge has each kind of code that has mutants.
func judge(seen, stuck bool, names []string) health.State {
	const limit = 2 > 1
	for _, name := range names {
		if mutated.Not(1, name == "") {
			if mutated.Keep(2) { continue } // no name
		}
	}
	switch {
	case mutated.Not(3, stuck):
		return mutated.State(4, health.Stuck, health.Waiting)
	case mutated.Or(5, mutated.Not(6, !seen) , func() bool { return ( mutated.And(7, mutated.Greater(8, len(names) , 0) , func() bool { return (
		mutated.LessEqual(10, len(names) , 3)) })) }): // a comment stays
		return mutated.State(12, health.Waiting, health.Ready, health.Stuck)
	}
	return mutated.State(14, health.Ready, health.Waiting)
}

func observe(ctx context.Context) bool { return 1 > 2 }
`

func TestInstrumentReplacesOperatorsWithChoices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kind.go")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o600))
	var mutants []*mutant
	text, err := instrument(path, &mutants)
	require.NoError(t, err)
	assert.Equal(t, instrumented, string(text))
	var changes []string
	for i, m := range mutants {
		assert.Equal(t, i+1, m.id)
		assert.Equal(t, "judge", m.function)
		changes = append(changes, m.change)
	}
	assert.Equal(t, []string{
		"== → !=", "continue → (left out)", "condition → its opposite", "Stuck → Waiting",
		"|| → &&",
		"! → (left out)", "&& → ||", "> → >=", "> → <=",
		"<= → <", "<= → >", "Waiting → Ready", "Waiting → Stuck", "Ready → Waiting",
	}, changes)
}

// The list of equivalents refers to mutants by name, so other code must not affect a name.
func TestMutantNameHasFileFunctionChangeAndNumber(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kind.go")
	require.NoError(t,
		os.WriteFile(path, []byte("package kind\nfunc f(a, b int) bool { return a == 1 || b == 2 }\n"), 0o600))
	var mutants []*mutant
	_, err := instrument(path, &mutants)
	require.NoError(t, err)
	var names []string
	for _, m := range mutants {
		names = append(names, m.name())
	}
	assert.Equal(t, []string{path + " f: || → &&", path + " f: == → !=",
		path + " f: == → != #2"}, names)
}
