package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/statelayout"
)

// A destroy does not run the program. It runs the commands in the state with whichever Strata is
// installed, which may be made for another layout.
func TestResourceCommandRefusesOtherStateLayout(t *testing.T) {
	for _, layout := range []string{"", "v1", "v1000"} {
		t.Setenv(statelayout.Variable, layout)
		if layout == "" {
			require.NoError(t, os.Unsetenv(statelayout.Variable)) // as in states without a layout
		}
		for _, args := range [][]string{
			{"teardown"}, {"host-run", "--delete"}, {"vm", "delete"}, {"gate"},
			{"gate", "--deleted"},
			{"crds", "remove"}, {"vault", "configure"},
		} {
			code, stdout, stderr := invoke(t, "not read", args...)
			assert.Equal(t, 1, code, args)
			assert.Empty(t, stdout, args)
			assert.Contains(t, stderr, "strata: refused, nothing was changed: ", args)
			assert.Contains(t, stderr, "destroy the stack with the Strata that made it", args)
		}
	}
	t.Setenv(statelayout.Variable, "v1000")
	code, _, stderr := invoke(t, "", "gone-since")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, `"gone-since" is a command in the state of a stack of layout v1000`)
}

func TestUserCommandsNeedNoStateLayout(t *testing.T) {
	t.Setenv(statelayout.Variable, "")
	require.NoError(t, os.Unsetenv(statelayout.Variable))
	code, _, stderr := invoke(t, `{"address":"127.0.0.1"}`, "hostkey")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "hostkey: a positive timeout")
	code, stdout, _ := invoke(t, "", "version")
	assert.Zero(t, code)
	assert.NotEmpty(t, stdout)
}
