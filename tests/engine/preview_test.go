package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A preview must work before the hosts exist.
func TestPreviewOfEmptyStackOnlyCreates(t *testing.T) {
	for _, name := range []string{"local", "staging", "rehearsal"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			seen := s.preview()
			require.NoError(t, seen.err)
			assert.Empty(t, seen.actions)
			assert.Contains(t, seen.steps, "metallb-pool-gate")
			for resource, steps := range seen.steps {
				assert.Equal(t, []string{"create"}, steps, resource)
			}
		})
	}
}

// If a preview showed objects of a running cluster as deleted, users would fear the update or get
// used to such previews.
func TestPreviewShowsNoClusterObjectAsDeleted(t *testing.T) {
	tests := map[string]struct {
		change func(s *stack)
		// gone is a text in the names of resources that may be deleted; empty if none may be.
		gone string
	}{
		"another SSH port": {func(s *stack) {
			s.set("hosts", "ssh", map[string]any{"user": "strata", "port": 2222})
		}, ""},
		"another SSH user": {func(s *stack) {
			s.set("hosts", "ssh", map[string]any{"user": "root"})
		}, ""},
		"another address": {func(s *stack) {
			s.node("server-1")["address"] = "10.10.0.99"
		}, "hostkey"},
		"another certificate": {func(s *stack) {
			s.set("k3s", "tlsSANs", []string{"api.example.org"})
		}, ""},
		"another timeout": {func(s *stack) { s.set("timeouts", "api", "20m") }, ""},
		"another pool": {func(s *stack) {
			s.set("metallb", "addresses", []string{"10.10.0.210-10.10.0.220"})
		}, ""},
		"the first server and another gone": {
			func(s *stack) { s.removeNodes("server-1", "server-2") }, "-server-"},
		"an agent gone": {func(s *stack) { s.removeNodes("agent-1") },
			"-agent-1-"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, "staging")
			s.mustUp()
			test.change(s)
			seen := s.preview()
			require.NoError(t, seen.err)
			assert.Empty(t, seen.actions)
			assert.NotEmpty(t, seen.changed(), "the change is shown")
			for resource, steps := range seen.changed() {
				if s.loses(resource, steps) {
					assert.True(t, test.gone != "" && strings.Contains(resource, test.gone),
						"%s: %v", resource, steps)
				}
			}
		})
	}
}

// loses reports whether steps of a resource delete anything. A command without a delete action, and
// the value of an attempt, are only replaced to run again (ADR 17), or to become a command of
// another kind (ADR 45). Any other resource does not exist during its replacement.
func (s *stack) loses(resource string, steps []string) bool {
	state := s.stored()[resource]
	runsAgain := state != nil && strings.HasPrefix(string(state.Type), "command:") &&
		!state.Inputs.HasValue("delete") ||
		strings.HasSuffix(resource, "-attempt")
	if slices.Contains(steps, string(deploy.OpDelete)) {
		return !runsAgain || !slices.Contains(steps, string(deploy.OpCreate))
	}
	return slices.Contains(steps, string(deploy.OpReplace)) && !runsAgain
}

// node returns the configuration of a node.
func (s *stack) node(name string) map[string]any {
	for _, node := range s.config["strata:hosts"]["nodes"].([]any) {
		if fields := node.(map[string]any); fields["name"] == name {
			return fields
		}
	}
	s.t.Fatalf("no node %s", name)
	return nil
}
