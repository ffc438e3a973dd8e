package fault_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/fault"
)

// recorder returns an injector and a function that returns the recorded commands. The injector's
// lab is a script that records its arguments, and fails for the machine "broken".
func recorder(t *testing.T) (fault.Injector, func() []string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	lab := filepath.Join(dir, "lab")
	script := "#!/bin/sh\necho \"$*\" >> " + log + "\ncase \" $* \" in *' broken '*) exit 3;; esac\n"
	require.NoError(t, os.WriteFile(lab, []byte(script), 0o755))
	return fault.Injector{Lab: lab, Out: io.Discard}, func() []string {
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

func find(t *testing.T, name string) fault.Kind {
	t.Helper()
	kind, err := fault.Find(name)
	require.NoError(t, err)
	return kind
}

func TestFaultReachesEveryMachineEvenIfOneFails(t *testing.T) {
	injector, calls := recorder(t)
	err := injector.Inject(t.Context(), find(t, "dead"), []string{"a", "broken", "c"})
	assert.ErrorContains(t, err, "dead on machine broken: exit status 3")
	assert.Equal(t, []string{"machines stop --hard a", "machines stop --hard broken",
		"machines stop --hard c"}, calls())
}

func TestClearingFaultResumesPausedMachine(t *testing.T) {
	injector, calls := recorder(t)
	require.NoError(t, injector.Inject(t.Context(), find(t, "hung"), []string{"a"}))
	require.NoError(t, injector.Clear(t.Context(), find(t, "hung"), []string{"a"}))
	assert.Equal(t, []string{"machines pause a", "machines resume a"}, calls())
}

func TestFaultKindsAreSortedAndTheirScriptsAreValid(t *testing.T) {
	before := ""
	for _, kind := range fault.Kinds {
		assert.Less(t, before, kind.Name)
		before = kind.Name
		assert.NotEmpty(t, kind.About, kind.Name)
		for _, arguments := range [][]string{kind.Inject, kind.Clear} {
			if arguments[0] != "exec" {
				continue
			}
			text := arguments[len(arguments)-1]
			out, err := exec.Command("sh", "-nc", text).CombinedOutput()
			assert.NoError(t, err, "%s: %s: %s", kind.Name, text, out)
		}
	}
}

func TestUnknownFaultErrorListsKnownFaults(t *testing.T) {
	_, err := fault.Find("ded")
	assert.ErrorContains(t, err, "dead, full-disk")
}
