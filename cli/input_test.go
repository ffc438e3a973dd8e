package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/machines/machineset"
)

// An unbounded subcommand would hold the whole run for ever.
func TestEverySubcommandOfTheProgramsOwnNeedsATimeout(t *testing.T) {
	for output, args := range map[string][]string{
		"crds apply: a positive timeout": {"crds", "apply"},
		"read: a positive timeout":       {"read"},
		"push: a positive timeout":       {"push"},
		"hostkey: a positive timeout":    {"hostkey"},
	} {
		stdin := map[string]string{"push": `{"mode":"0755"}`, "hostkey": `{"address":"127.0.0.1"}`}[args[0]]
		if stdin == "" {
			stdin = "{}"
		}
		code, stdout, stderr := invoke(t, stdin, args...)
		assert.Equal(t, 2, code, output)
		assert.Empty(t, stdout, output)
		assert.Contains(t, stderr, output)
	}
}

func TestASubcommandSaysWhoseKubeconfigItCannotRead(t *testing.T) {
	t.Setenv("STRATA_KUBECONFIG", "no kubeconfig")
	for _, args := range [][]string{{"crds", "remove"}, {"read"}} {
		code, _, stderr := invoke(t, `{"timeout":"1s"}`, args...)
		assert.Equal(t, 1, code, args)
		assert.Contains(t, stderr, args[0]+": STRATA_KUBECONFIG: ")
		assert.NotContains(t, stderr, "no kubeconfig")
	}
}

func TestThePreviousOutputIsReadWhereThereIsOne(t *testing.T) {
	t.Setenv("PULUMI_COMMAND_STDOUT", "")
	set, err := previous[machineset.Set]("machine-guard")
	require.NoError(t, err)
	assert.Empty(t, set)
	t.Setenv("PULUMI_COMMAND_STDOUT", `{"machines":[{"name":"a"}],"ofAnotherVersion":1}`)
	set, err = previous[machineset.Set]("machine-guard")
	require.NoError(t, err)
	assert.Equal(t, "a", set.Machines[0].Name)
	t.Setenv("PULUMI_COMMAND_STDOUT", "no set")
	_, err = previous[machineset.Set]("machine-guard")
	require.ErrorContains(t, err, "machine-guard: previous output: ")
}
