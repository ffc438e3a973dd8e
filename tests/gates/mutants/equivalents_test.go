package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func listOf(t *testing.T, text string) (equivalents, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "equivalents.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return readEquivalents(path)
}

func TestEquivalentsListRequiresReasons(t *testing.T) {
	known, err := listOf(t, "# about\n\na.go f: == → !=\n\tone\n\ttwo\nb.go g: > → >=\n\tthree\n")
	require.NoError(t, err)
	assert.Equal(t, equivalents{"a.go f: == → !=": "one two", "b.go g: > → >=": "three"}, known)
	_, err = listOf(t, "a.go f: == → !=\nb.go g: > → >=\n\tthree\n")
	require.ErrorContains(t, err, "has no reason")
	_, err = listOf(t, "a.go f: == → !=\n\tone\na.go f: == → !=\n\ttwo\n")
	require.ErrorContains(t, err, "twice")
	_, err = listOf(t, "\ta reason of nothing\n")
	require.Error(t, err)
}

func TestEquivalentsListRejectsKilledMutant(t *testing.T) {
	of := func(function string, killed bool) *mutant {
		return &mutant{file: "a.go", function: function, change: "== → !=", killed: killed}
	}
	known := equivalents{"a.go f: == → !=": "why"}
	survivors, err := known.check([]*mutant{of("f", false), of("g", true)}, true)
	require.NoError(t, err)
	assert.Empty(t, survivors)
	survivors, err = known.check([]*mutant{of("f", false), of("g", false)}, true)
	require.NoError(t, err)
	assert.Equal(t, []*mutant{of("g", false)}, survivors)
	_, err = known.check([]*mutant{of("f", true)}, true)
	require.ErrorContains(t, err, "a test notices it")
	_, err = known.check([]*mutant{of("g", true)}, true)
	require.ErrorContains(t, err, "there is no such change")
	_, err = known.check([]*mutant{of("g", true)}, false)
	require.NoError(t, err, "a part says nothing of the rest")
}

// Every mutant in the list must exist. This test finds a wrong name before the next full run.
func TestEquivalentsListNamesExistingMutants(t *testing.T) {
	t.Chdir("../../..")
	known, err := readEquivalents(equivalentsFile)
	require.NoError(t, err)
	all, err := rooms()
	require.NoError(t, err)
	_, mutants, err := overlay(all, t.TempDir())
	require.NoError(t, err)
	for _, m := range mutants {
		delete(known, m.name())
	}
	assert.Empty(t, known)
}
