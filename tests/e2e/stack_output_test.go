package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
)

// outputs caches the stack's outputs for one version of the state. Stories read the kubeconfig
// hundreds of times, and `pulumi stack output` takes half a second.
type outputs struct {
	state  os.FileInfo // nil before the first read
	values map[string]any
}

// output returns one of the stack's outputs.
func (s *stack) output(name string) string {
	s.t.Helper()
	values := s.outputs()
	require.Contains(s.t, values, name)
	if text, ok := values[name].(string); ok {
		return text
	}
	return fmt.Sprint(values[name])
}

// outputs returns all outputs of the stack.
func (s *stack) outputs() map[string]any {
	s.t.Helper()
	if state := s.state(); s.known.state == nil ||
		!state.ModTime().Equal(s.known.state.ModTime()) || state.Size() != s.known.state.Size() {
		r := s.must(s.run("pulumi", "stack", "output", "--stack", s.name, "--show-secrets",
			"--json"))
		s.known = outputs{state: state}
		require.NoError(s.t, json.Unmarshal([]byte(r.output), &s.known.values))
	}
	return s.known.values
}

// state returns the file info of the state. It must be called before the outputs are read. If the
// file changes meanwhile, the next call reads the outputs again.
func (s *stack) state() os.FileInfo {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.backend, ".pulumi", "stacks", "*", s.name+".json"))
	require.NoError(s.t, err)
	require.Len(s.t, found, 1)
	info, err := os.Stat(found[0])
	require.NoError(s.t, err)
	return info
}
