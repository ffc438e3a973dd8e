package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions"
)

// Users look up a command that they see in a process list or a script.
func TestEachCommandIsInHelpAndDocs(t *testing.T) {
	pages := ""
	for _, pattern := range []string{"../docs/*.md", "../docs/layers/*.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			pages += string(text)
		}
	}
	for _, command := range newRoot().Commands() {
		assert.False(t, command.Hidden, command.Name())
		assert.Contains(t, pages, "strata "+command.Name())
	}
	assert.Contains(t, pages, "--before-destroy", "a flag of strata orphans")
	assert.Contains(t, pages, "--after-destroy", "a flag of strata orphans")
}

// Only the listed verbs may also be commands for users.
func TestOnlyListedVerbsAreUserCommands(t *testing.T) {
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
