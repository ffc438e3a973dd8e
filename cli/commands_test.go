package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions"
)

// Verbs of resources must not be commands for users, except the listed ones. Run looks for a verb
// first, so a listed command does the same as its verb.
func TestResourceVerbsAreNotUserCommands(t *testing.T) {
	both := map[string]string{
		"hostkey": "errors about a host's key name it",
	}
	golden, err := os.ReadFile("../tests/graph/testdata/commands.golden")
	require.NoError(t, err)
	texts := regexp.MustCompile(`(?m)^(?:create|update|delete): \S+ exec \S+ (.+)$`).FindAllStringSubmatch(string(golden), -1)
	require.Greater(t, len(texts), 30)
	for _, found := range texts {
		text := found[1]
		require.NotNil(t, actions.Find(text), text)
		command, rest, err := newRoot().Find(strings.Fields(text))
		isCommand := err == nil && command.Runnable() && command.ParseFlags(rest) == nil &&
			command.Flags().NArg() == 0
		_, listed := both[text]
		assert.Equal(t, listed, isCommand, text)
	}
}
