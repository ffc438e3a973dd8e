package actions

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/verb"
)

func TestEachCommandTextMapsToOneVerb(t *testing.T) {
	for _, row := range verbs {
		assert.Same(t, row.verb, Find(row.text), "%s stands for another verb as well", row.text)
		assert.Equal(t, execute+row.text, string(Text(row.verb)), "%s has another text as well",
			row.text)
	}
	assert.Nil(t, Find("no such command"))
}

func TestTextPanicsForUnregisteredVerb(t *testing.T) {
	assert.Panics(t, func() { Text(verb.NewUnbounded[verb.None](nil)) })
}

// Resources run exactly the verbs of the table. commands.golden does not list the command gate.
func TestVerbTableMatchesCommandsOfResources(t *testing.T) {
	text, err := os.ReadFile("../tests/graph/testdata/commands.golden")
	require.NoError(t, err)
	var texts []string
	for _, row := range verbs {
		texts = append(texts, row.text)
	}
	runs := []string{"gate"}
	commands := regexp.MustCompile(`(?m)^(?:create|update|delete): ` + execute + `(.+)$`)
	for _, found := range commands.FindAllStringSubmatch(string(text), -1) {
		runs = append(runs, found[1])
	}
	slices.Sort(runs)
	assert.ElementsMatch(t, slices.Compact(runs), texts)
}

// Code finds a command in a state by the command's text. Each such text must be in the verb table.
func TestCommandTextsSearchedInStateAreRegistered(t *testing.T) {
	looked := regexp.MustCompile(`\.Commands\("([^"]+)"\)`)
	count := 0
	for _, room := range []string{".", "../cli", "../components", "../platform"} {
		require.NoError(t, filepath.WalkDir(room,
			func(path string, _ fs.DirEntry, err error) error {
				if err != nil || !strings.HasSuffix(path, ".go") {
					return err
				}
				text, err := os.ReadFile(path)
				for _, found := range looked.FindAllStringSubmatch(string(text), -1) {
					count++
					assert.NotNil(t, Find(found[1]), "%s: %s", path, found[1])
				}
				return err
			}))
	}
	assert.Greater(t, count, 3)
}
