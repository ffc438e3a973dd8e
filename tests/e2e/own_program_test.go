package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// newOwnProgram creates a stack of a copy of examples/own-program in the story's folder, outside
// the module of the checkout.
func newOwnProgram(t *testing.T, name string, config map[string]any) *stack {
	t.Helper()
	s := &stack{t: t, name: name, dir: t.TempDir()}
	t.Cleanup(s.repeatFailure)
	s.config, s.program = filepath.Join(s.dir, "Pulumi."+name+".yaml"), s.dir
	s.env = append(os.Environ(), s.environment()...)
	for _, file := range []string{"Pulumi.yaml", "main.go", "go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, "examples/own-program", file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, file), text, 0o600))
	}
	s.must(s.runIn(s.dir, "go", "mod", "edit", "-replace", "strata="+root))
	text, err := yaml.Marshal(map[string]any{"config": config})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.config, text, 0o600))
	s.must(s.runIn(s.dir, "pulumi", "stack", "init", name))
	return s
}

// ownProgram brings up a user's own program in a cluster, and destroys it.
func ownProgram(t *testing.T, net network, kubeconfig string) {
	s := newOwnProgram(t, "e2e-own", map[string]any{
		"own-program:addresses": net.pool(), "own-program:image": testServer,
		"own-program:port": 8080,
	})
	set := s.command(s.dir, "pulumi", "config", "set", "--secret", "kubeconfig", "--stack", s.name)
	set.Stdin = strings.NewReader(kubeconfig)
	s.must(s.finish(set))
	r := s.must(s.up())
	assert.Contains(t, r.output, "hello-rollout")
	address := s.must(s.runIn(s.dir, "pulumi", "stack", "output", "address", "--stack",
		s.name)).output
	answers(t, strings.TrimSpace(address))
	s.must(s.up("--expect-no-changes"))
	itself := filepath.Join(s.dir, ".strata/bin/strata")
	assert.Contains(t, s.must(s.runIn(s.dir, itself, "--help")).output, "repair",
		"the program has Strata's subcommands")
	s.must(s.destroy())
}
