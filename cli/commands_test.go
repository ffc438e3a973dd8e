package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/subcommand"
)

// The texts of resources' commands and the tree of subcommands are written apart: components do not
// know cobra.
func TestEachCommandOfAResourceIsASubcommand(t *testing.T) {
	text, err := os.ReadFile("../tests/graph/testdata/commands.golden")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^(?:create|update|delete): `+subcommand.Exec+`(.+)$`).FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(found), 30)
	for _, one := range found {
		command, rest, err := newRoot().Find(strings.Fields(one[1]))
		require.NoError(t, err, one[1])
		require.NoError(t, command.ParseFlags(rest), one[1])
		assert.Empty(t, command.Flags().Args(), one[1])
		assert.True(t, command.Runnable(), one[1])
	}
}
