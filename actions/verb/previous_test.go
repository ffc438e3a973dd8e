package verb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/verb"
	"strata/internal/pulumi/self"
)

func TestPreviousOutputIsDecodedOrZero(t *testing.T) {
	type output struct {
		Machines []struct{ Name string }
	}
	call := verb.Call{Text: "machine-guard"}
	t.Setenv(self.PreviousOutput, "")
	before, err := verb.Previous[output](call)
	require.NoError(t, err)
	assert.Empty(t, before)
	t.Setenv(self.PreviousOutput, `{"machines":[{"name":"a"}],"ofAnotherVersion":1}`)
	before, err = verb.Previous[output](call)
	require.NoError(t, err)
	assert.Equal(t, "a", before.Machines[0].Name)
	t.Setenv(self.PreviousOutput, "no set")
	_, err = verb.Previous[output](call)
	require.ErrorContains(t, err, "machine-guard: previous output: ")
	var wrong *verb.InputError
	assert.ErrorAs(t, err, &wrong)
}
