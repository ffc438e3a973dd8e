package e2e

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ofAnotherLayout has texts that every refusal of a state of another layout must contain.
var ofAnotherLayout = []string{
	"refused, nothing was changed: ", " of layout none",
	"destroy the stack with the Strata that made it",
}

// withoutLayout returns the resources of one host in a state without a layout. If failed is true,
// the update failed before it created the teardown guard.
func withoutLayout(stack string, failed bool) []map[string]any {
	urn := func(types, name string) string {
		return "urn:pulumi:" + stack + "::strata::" + types +
			"::" + name
	}
	const id = "6ad5d7c2-1c5c-4f6b-a2b8-3d1f0e8f5a11"
	provider := urn("pulumi:providers:command", "default_1_2_1")
	root, k3s := urn("pulumi:pulumi:Stack", "strata-"+stack), urn("strata:k3s:K3s", "k3s")
	claim := urn("strata:k3s:K3s$command:local:Command", "k3s-server-1-claim")
	command := func(urn, create, remove string, needs ...string) map[string]any {
		const run = "exec .strata/bin/strata "
		inputs := map[string]any{"create": run + create, "delete": run + remove, "stdin": "{}"}
		outputs := map[string]any{"stdout": "", "stderr": ""}
		maps.Copy(outputs, inputs)
		return map[string]any{
			"urn": urn, "type": "command:local:Command", "custom": true, "id": id, "parent": k3s,
			"provider": provider + "::" + id, "inputs": inputs, "outputs": outputs,
			"dependencies": needs,
		}
	}
	all := []map[string]any{
		{"urn": root, "type": "pulumi:pulumi:Stack", "custom": false},
		{"urn": provider, "type": "pulumi:providers:command", "custom": true, "id": id,
			"inputs": map[string]any{"version": "1.2.1"}},
		{"urn": k3s, "type": "strata:k3s:K3s", "custom": false, "parent": root},
		command(claim, "host-run", "host-run --delete"),
	}
	if failed {
		return all
	}
	all[0]["outputs"] = map[string]any{"stateVersion": 1}
	guard := urn("strata:k3s:K3s$command:local:Command", "k3s-teardown-guard")
	return append(all, command(guard, "discard-guard", "teardown", claim))
}

// Otherwise a destroy would run the delete commands in the state, beginning with the guard's.
func TestStateOfOtherLayoutIsNotChanged(t *testing.T) {
	for name, failed := range map[string]bool{"e2e-layout": false, "e2e-layout-failed": true} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name, map[string]any{})
			deployment := map[string]any{"resources": withoutLayout(name, failed)}
			text, err := json.Marshal(map[string]any{"version": 3, "deployment": deployment})
			require.NoError(t, err)
			file := filepath.Join(s.dir, "state.json")
			require.NoError(t, os.WriteFile(file, text, 0o600))
			s.must(s.run("pulumi", "stack", "import", "--stack", name, "--file", file))
			before, installed := s.resources(), read(t, strata)
			for _, run := range []func() result{s.preview, func() result { return s.up() }, func() result { return s.destroy() }} {
				s.refused(t, run(), ofAnotherLayout...)
				assert.ElementsMatch(t, before, s.resources())
				assert.Equal(t, installed, read(t, strata))
			}
		})
	}
}

func (s *stack) preview() result {
	return s.run("pulumi", "preview", "--stack", s.name, "--config-file", s.config,
		"--non-interactive")
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// The delete commands in a state run the program that made the state. A build would replace it.
func TestMakeBuildsNothingForStateOfOtherLayout(t *testing.T) {
	s := newStack(t, "e2e-layout-make", map[string]any{})
	checkout := filepath.Join(s.dir, "checkout")
	s.must(s.run("git", "clone", "--quiet", root, checkout))
	for path, content := range map[string]any{
		".strata/bin/strata": "the Strata that made it",
		".strata/state/.pulumi/stacks/strata/local.json": map[string]any{"version": 3,
			"checkpoint": map[string]any{
				"latest": map[string]any{"resources": withoutLayout("local", true)}}},
	} {
		text, err := json.Marshal(content)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(checkout, path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(checkout, path), text, 0o600))
	}
	before := s.files(t, filepath.Join(checkout, ".strata"))
	require.Len(t, before, 2)
	for _, args := range [][]string{{"preview"}, {"up"}, {"down"}, {"up", "STACK=rehearsal"}, {"deploy", "VERSION=2"}, {"build"}, {"lab"}} {
		s.refused(t, s.runIn(checkout, "make", args...), ofAnotherLayout...)
		assert.Equal(t, before, s.files(t, filepath.Join(checkout, ".strata")), args)
	}
}

// files returns the contents of all files below a folder.
func (s *stack) files(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder,
		func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				files[path] = read(t, path)
			}
			return err
		}))
	return files
}
