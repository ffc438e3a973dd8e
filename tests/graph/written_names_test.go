package graph_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/statelayout"
)

// resourceLine matches the line of a resource in a golden graph.
var resourceLine = regexp.MustCompile(`(?m)^ *([a-z0-9.-]+:[^ ]+:[A-Za-z]+ [a-zA-Z0-9.-]+)$`)

// namesOf returns the types and names of resources in golden graphs, without their layout.
func namesOf(t *testing.T, files ...string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range resourceLine.FindAllStringSubmatch(string(text), -1) {
			names[strings.Replace(found[1], "/"+statelayout.Version+":", ":", 1)] = true
		}
	}
	return names
}

// lostNames returns the resources in list that names lacks. The first line of list is a layout;
// each further line has a resource's type and name. For another layout, it returns nil.
func lostNames(list string, names map[string]bool) []string {
	lines := strings.Split(strings.TrimSpace(list), "\n")
	if lines[0] != statelayout.Version {
		return nil
	}
	return slices.DeleteFunc(lines[1:], func(line string) bool { return names[line] })
}

// If a resource is renamed, an update deletes the old one. So a rename requires a new layout.
func TestRenamedResourceRequiresNewLayout(t *testing.T) {
	const file = "testdata/layout.golden"
	files, err := filepath.Glob("testdata/*_*.golden")
	require.NoError(t, err)
	names := namesOf(t, append(files, "testdata/workload.golden")...)
	require.Greater(t, len(names), 200)
	list, err := os.ReadFile(file)
	if !*update || err == nil {
		require.NoError(t, err)
		require.Empty(t, lostNames(string(list), names),
			"raise statelayout.Version (docs/adr/0079), then: make golden")
	}
	golden(t, file, statelayout.Version+"\n"+
		strings.Join(slices.Sorted(maps.Keys(names)), "\n")+"\n")
}

func TestLostNameIsReportedOnlyWithinSameLayout(t *testing.T) {
	names := map[string]bool{"a:b:C x": true, "a:b:C y": true}
	assert.Empty(t, lostNames(statelayout.Version+"\na:b:C x\n", names), "another one came")
	assert.Equal(t, []string{"a:b:C z"},
		lostNames(statelayout.Version+"\na:b:C x\na:b:C z\n", names))
	assert.Empty(t, lostNames("v1\na:b:C z\n", names))
}
