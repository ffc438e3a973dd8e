package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Hosts need not exist yet for a preview.
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

// A preview that shows a running cluster's objects as deleted makes people afraid of the update or,
// worse, used to such previews.
func TestPreviewShowsNoClusterObjectAsDeleted(t *testing.T) {
	tests := map[string]struct {
		change func(s *stack)
		// gone is a part of the names that may be deleted, empty for none.
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

// loses reports whether steps remove anything. A gate, an install or a push is replaced to run
// again, and so is the word of an attempt, which removes nothing (ADR 17). Nor does a command that
// another kind of command follows under its name (ADR 45). A replaced object, release or resource
// with a delete action is gone for a while.
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

// node returns a node's part of the configuration.
func (s *stack) node(name string) map[string]any {
	for _, node := range s.config["strata:hosts"]["nodes"].([]any) {
		if fields := node.(map[string]any); fields["name"] == name {
			return fields
		}
	}
	s.t.Fatalf("no node %s", name)
	return nil
}
