package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/docs/shell"
)

// A command that a user copies from a page or an example pipeline must work: the subcommand, its
// flags and its arguments exist.
func TestDocumentedCommandsExist(t *testing.T) {
	checked := 0
	for pattern, read := range map[string]func(string) ([]shell.Command, error){
		"../docs/*.md": shell.Page, "../*.md": shell.Page, "../examples/ci/*.yaml": shell.Pipeline,
	} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			commands, err := read(string(text))
			require.NoError(t, err, file)
			for _, one := range commands {
				if one.Words[0] == "strata" || one.Words[0] == ".strata/bin/strata" {
					checked++
					assert.NoError(t, accepts(one.Words[1:]), "%s: %s", file, one.Line)
				}
			}
		}
	}
	assert.Greater(t, checked, 35)
}

// accepts returns an error if the command line does not take the arguments.
func accepts(args []string) error {
	command, rest, err := newRoot().Find(args)
	if err != nil {
		return err
	}
	if err := command.ParseFlags(rest); err != nil {
		return err
	}
	if err := command.ValidateRequiredFlags(); err != nil {
		return err
	}
	return command.ValidateArgs(command.Flags().Args())
}

func TestAcceptsRejectsUnknownCommandsAndFlags(t *testing.T) {
	require.NoError(t, accepts([]string{"health", "-s", "STACK"}))
	for _, args := range [][]string{{"helth"}, {"health", "-s", "STACK", "--metric", "F"}, {"health"}, {"init"}, {"fetch", "everything"}} {
		require.Error(t, accepts(args), "%v", args)
	}
}
