//go:build e2e

package nspawn

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// brokenOff leaves a deletion as a kill does, at each of its steps.
var brokenOff = map[string]func(t *testing.T, name string){
	"before it stopped the machine": func(t *testing.T, name string) { require.NoError(t, record(t.Context(), name)) },
	"when the machine had stopped": func(t *testing.T, name string) {
		require.NoError(t, record(t.Context(), name))
		require.NoError(t, Stop(t.Context(), name, true))
	},
	"in the middle of the files": func(t *testing.T, name string) {
		require.NoError(t, record(t.Context(), name))
		require.NoError(t, Stop(t.Context(), name, true))
		require.NoError(t, os.RemoveAll(machineDir(name).path("upper")))
	},
	"before Pulumi heard of its end": func(t *testing.T, name string) {
		require.NoError(t, DeleteOwn(t.Context(), Spec{Name: name}, nil))
	},
}

func TestAMachineThatWasLeavingIsMadeAnewUnderTheSameKey(t *testing.T) {
	for at, breakOff := range brokenOff {
		t.Run(at, func(t *testing.T) {
			spec, key := e2eSpec(t, 1)
			first, err := Create(e2eContext(t), spec, nil)
			require.NoError(t, err)
			remote(t, login(t, "root", spec, key, first.HostKey), "echo old > /root/note")
			breakOff(t, spec.Name)
			second, err := Update(e2eContext(t), spec, nil)
			require.NoError(t, err)
			assert.Equal(t, first, second, "the state has the first one's")
			assert.Equal(t, "new",
				remote(t, login(t, "root", spec, key, first.HostKey), "test -e /root/note || echo new"))
			assertNoNotes(t)
		})
	}
}

// Once a destroy has reached the machines, the workload on any of them belongs to no stack any
// more; not before.
func TestWhereADestroyCameToTheMachinesAllOfThemAreMadeAnew(t *testing.T) {
	one, _ := e2eSpec(t, 1)
	other, key := e2eSpec(t, 2)
	all := Deletion{Machines: []string{one.Name, other.Name}}
	var made Result
	for _, spec := range []Spec{one, other} {
		var err error
		made, err = Create(e2eContext(t), spec, nil)
		require.NoError(t, err)
	}
	pid := leader(other.Name)
	replaced, err := MarkForReplacement(t.Context(), all)
	require.NoError(t, err)
	assert.Empty(t, replaced)
	require.NoError(t, MarkForDeletion(t.Context(), all))
	require.NoError(t, Keep(t.Context(), all))
	_, err = Update(e2eContext(t), other, nil)
	require.NoError(t, err)
	assert.Equal(t, pid, leader(other.Name), "what was taken back stays")
	assertNoNotes(t)

	require.NoError(t, MarkForDeletion(t.Context(), all))
	require.NoError(t, DeleteOwn(t.Context(), Spec{Name: one.Name}, nil))
	_, err = Create(e2eContext(t), one, nil)
	require.NoError(t, err)
	replaced, err = MarkForReplacement(t.Context(), all)
	require.NoError(t, err)
	assert.Equal(t, []string{other.Name}, replaced, "the first has been made anew already")
	anew, err := Update(e2eContext(t), other, nil)
	require.NoError(t, err)
	assert.NotEqual(t, pid, leader(other.Name))
	assert.Equal(t, made, anew)
	login(t, "root", other, key, made.HostKey)
	assertNoNotes(t)
}

// A machine that is deleted by hand has still its resources in the state.
func TestAMachineThatIsGoneWithoutADestroyIsNotMadeAnew(t *testing.T) {
	spec, _ := e2eSpec(t, 1)
	_, err := Create(e2eContext(t), spec, nil)
	require.NoError(t, err)
	require.NoError(t, Delete(t.Context(), spec.Name, nil))
	_, err = Update(e2eContext(t), spec, nil)
	require.ErrorContains(t, err, "is gone, and none was made in its place")
}

// assertNoNotes only checks these tests' machines: others may be about to be deleted.
func assertNoNotes(t *testing.T) {
	t.Helper()
	notes, err := filepath.Glob(notePath("*", "stme2e-*"))
	require.NoError(t, err)
	assert.Empty(t, notes)
}
