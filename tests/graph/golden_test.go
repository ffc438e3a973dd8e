package graph_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/waitfor"
	"strata/tests/pulumitest"
)

var update = flag.Bool("update", false, "rewrite golden files and generated docs")

func TestStackGraphsMatchGoldenFiles(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			golden(t, filepath.Join(root, "tests/graph/testdata/graph_"+stack+".golden"),
				newProgram(t, stack).graph(t).text())
		})
	}
}

// golden compares text with a file, or writes the file if -update is set.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "write it with: make golden")
	assert.Equal(t, string(want), text, "if this is meant: make golden")
}

// text returns the graph as an indented tree, sorted by name.
func (g graph) text() string {
	var out strings.Builder
	g.write(&out, "", "")
	return out.String()
}

func (g graph) write(out *strings.Builder, parent, indent string) {
	for _, name := range g.where(func(r pulumitest.Resource) bool { return r.Parent == parent }) {
		fmt.Fprintf(out, "%s%s %s\n", indent, g[name].Type, name)
		for _, line := range edges(g[name]) {
			fmt.Fprintf(out, "%s    %s\n", indent, line)
		}
		g.write(out, name, indent+"  ")
	}
}

// edges returns a resource's dependencies, and its options for waits, timeouts and deletion.
func edges(r pulumitest.Resource) []string {
	var lines []string
	add := func(what, value string) {
		if value != "" {
			lines = append(lines, what+": "+value)
		}
	}
	add("needs", strings.Join(r.Dependencies, ", "))
	add("provider", r.Provider)
	add("deleted with", r.DeletedWith)
	expression, limit := wait(r)
	add("waits for", expression)
	add("wait limit", limit)
	add("deleted in the", annotation(r, "pulumi.com/deletionPropagationPolicy"))
	add("bound", bounds(r.Timeouts))
	if triggers := len(r.Triggers()); triggers > 0 {
		add("replaced on", fmt.Sprintf("%d trigger", triggers))
	} else {
		add("replaced on",
			strings.Join(slices.DeleteFunc(slices.Clone(r.ReplacedOn), func(input string) bool {
				return input == "triggers[*]"
			}), ", "))
	}
	if r.DeleteFirst {
		add("replacement", "deletes first")
	}
	add("ignores", strings.Join(r.IgnoredChanges, ", "))
	return lines
}

// wait returns the annotation that makes Pulumi wait for the status of a Kubernetes object, and the
// timeout in seconds.
func wait(r pulumitest.Resource) (expression, seconds string) {
	return annotation(r, waitfor.Annotation), annotation(r, waitfor.TimeoutAnnotation)
}

// annotation returns the value of an object's annotation; empty if it has none.
func annotation(r pulumitest.Resource, key resource.PropertyKey) string {
	metadata, _ := r.Input("metadata")
	if !metadata.IsObject() {
		return ""
	}
	annotations := metadata.ObjectValue()["annotations"]
	if !annotations.IsObject() || !annotations.ObjectValue()[key].IsString() {
		return ""
	}
	return annotations.ObjectValue()[key].StringValue()
}

func bounds(limits pulumitest.Timeouts) string {
	var words []string
	for _, one := range []struct{ what, limit string }{
		{"create", limits.Create}, {"update", limits.Update}, {"delete", limits.Delete},
	} {
		if one.limit != "" {
			words = append(words, one.what+" "+one.limit)
		}
	}
	return strings.Join(words, ", ")
}
