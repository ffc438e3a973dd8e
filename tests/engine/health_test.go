package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/platform"
	"strata/tests/pulumitest"
)

// gates returns the gates in the state, and those that `strata health` expects from the
// configuration.
func (s *stack) gates() (stored, foretold []string) {
	s.t.Helper()
	for name, state := range s.stored() {
		if create := state.Inputs["create"]; create.IsString() &&
			create.StringValue() == pulumitest.GateCommand {
			stored = append(stored, name)
		}
	}
	handed, err := s.handed()
	require.NoError(s.t, err)
	sections := map[string]string{}
	for key, value := range handed {
		sections[strings.TrimPrefix(key, config.Namespace+":")] = value
	}
	cfg, err := config.Load(string(s.plan.Stack), sections, func(string) string { return "" })
	require.NoError(s.t, err)
	specs, err := platform.Gates(s.t.Context(), cfg)
	require.NoError(s.t, err)
	for _, spec := range specs {
		foretold = append(foretold, spec.Gate)
	}
	return stored, foretold
}

// `strata health` compares the gates in the state with those of the configuration. After a
// successful update they must be the same.
func TestConfiguredGatesMatchGatesInState(t *testing.T) {
	for _, name := range []string{"local", "staging", "proxmox", "rehearsal", "kind"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			s.mustUp()
			stored, foretold := s.gates()
			assert.ElementsMatch(t, stored, foretold)
			assert.Greater(t, len(foretold), 15)
		})
	}
}

func TestFailedUpdateLeavesUnreachedGatesOutOfState(t *testing.T) {
	// No gate runs before the gate of its host, and the engine may run gates of other hosts in any
	// order. So only the gates around the failed one are known.
	for gate, around := range map[string]struct{ before, behind string }{
		"hosts-agent-1-gate": {behind: "k3s-agent-1-gate"},
		"k3s-api":            {before: "hosts-server-1-gate", behind: "metallb-webhook"},
		"metallb-webhook":    {before: "k3s-api", behind: "metallb-pool-gate"},
	} {
		t.Run(gate, func(t *testing.T) {
			s := newStack(t, "local")
			s.fail("create", gate)
			require.Error(t, s.up().err)
			stored, foretold := s.gates()
			assert.Subset(t, foretold, stored)
			missing := slices.DeleteFunc(foretold,
				func(name string) bool { return slices.Contains(stored, name) })
			assert.Contains(t, missing, gate)
			assert.Contains(t, missing, around.behind)
			if around.before != "" {
				assert.NotContains(t, missing, around.before)
			}
			s.heal("create", gate)
			s.mustUp()
			stored, foretold = s.gates()
			assert.ElementsMatch(t, stored, foretold)
		})
	}
}

func TestGatesOfDisabledLayerAreLeftOver(t *testing.T) {
	s := newStack(t, "local")
	s.mustUp()
	s.set("argocd", "enabled", false)
	stored, foretold := s.gates()
	left := slices.DeleteFunc(stored, func(name string) bool {
		return slices.Contains(foretold,
			name)
	})
	require.NotEmpty(t, left)
	for _, name := range left {
		assert.Contains(t, name, "argocd")
	}
}
