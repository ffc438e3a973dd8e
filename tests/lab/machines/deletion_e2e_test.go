//go:build e2e

package machines

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// brokenOff has functions that leave a machine in the state of an interrupted deletion, one for
// each step.
var brokenOff = map[string]func(t *testing.T, name string){
	"before it stopped the machine": func(t *testing.T, name string) {
		require.NoError(t, os.Remove(machineDir(name).ready()))
	},
	"when the machine had stopped": func(t *testing.T, name string) {
		require.NoError(t, os.Remove(machineDir(name).ready()))
		require.NoError(t, Stop(t.Context(), name, true))
	},
	"in the middle of the files": func(t *testing.T, name string) {
		require.NoError(t, os.Remove(machineDir(name).ready()))
		require.NoError(t, Stop(t.Context(), name, true))
		require.NoError(t, os.RemoveAll(machineDir(name).path("upper")))
	},
	"after it ended": func(t *testing.T, name string) { require.NoError(t, Delete(t.Context(), name, nil)) },
}

func TestRecreatedMachineKeepsHostKeyAfterInterruptedDeletion(t *testing.T) {
	for at, breakOff := range brokenOff {
		t.Run(at, func(t *testing.T) {
			spec, key := e2eSpec(t, 1)
			spec.HostKeyFile = filepath.Join(t.TempDir(), "hosts", "key")
			first, err := Create(e2eContext(t), spec, nil)
			require.NoError(t, err)
			remote(t, login(t, "root", spec, key, first.HostKey), "echo old > /root/note")
			breakOff(t, spec.Name)
			second, err := Create(e2eContext(t), spec, nil)
			require.NoError(t, err)
			assert.Equal(t, first, second, "who pinned the first one's key reaches the second")
			assert.Equal(t, "new",
				remote(t, login(t, "root", spec, key, first.HostKey), "test -e /root/note || echo new"))
		})
	}
}

// Two checkouts that have stacks of the same name use the same machine name.
func TestMachineOfAnotherOwnerIsNotChanged(t *testing.T) {
	ours, _ := e2eSpec(t, 5)
	theirs, _ := e2eSpec(t, 5) // with another key
	_, err := Create(e2eContext(t), ours, nil)
	require.NoError(t, err)
	stays := func() {
		t.Helper()
		_, err := Create(e2eContext(t), theirs, nil)
		require.ErrorContains(t, err, "has another owner")
		require.NoError(t, DeleteOwn(e2eContext(t), theirs.Name, theirs.AuthorizedKey, nil))
		have, err := loadSpec(ours.Name)
		require.NoError(t, err)
		assert.Equal(t, ours.AuthorizedKey, have.AuthorizedKey)
		assert.NotZero(t, leader(ours.Name), "it runs")
	}
	stays()
	require.NoError(t, os.Remove(machineDir(ours.Name).ready())) // as during the creation
	stays()
	require.NoError(t, DeleteOwn(e2eContext(t), ours.Name, ours.AuthorizedKey, nil))
	assertNothingLeft(t, []Spec{ours})
}
