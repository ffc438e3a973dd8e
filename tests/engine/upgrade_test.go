package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lasting reports whether the loss of a resource is permanent: keys and pins, machines, the
// cluster's identity and credentials, and commands that uninstall K3s when they are deleted.
func lasting(state *pkgresource.State) bool {
	name := state.URN.Name()
	for _, suffix := range []string{
		"-key", "-identity", "-hostkey", "-vm", "-image", "-cluster", "-token",
		"-credential", "-provider", "-claim", "-keepalived", "-password",
	} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// lossless checks that a run recreated and deleted no lasting resource, and that random and pinned
// values are unchanged. Commands with a delete action may only be updated.
func (s *stack) lossless(t *testing.T, before map[string]*pkgresource.State, r *result) {
	t.Helper()
	require.NoError(t, r.err)
	looked := 0
	for name, state := range before {
		if !lasting(state) {
			continue
		}
		looked++
		for _, step := range r.steps[name] {
			assert.Contains(t, []string{string(deploy.OpSame), string(deploy.OpUpdate)}, step, name)
		}
		now := s.stored()[name]
		if assert.NotNil(t, now, name) {
			assert.Equal(t, state.ID, now.ID, name)
			for _, drawn := range []resource.PropertyKey{"stdout", "hex", "result"} {
				assert.Equal(t, state.Outputs[drawn], now.Outputs[drawn], "%s of %s", drawn, name)
			}
		}
	}
	assert.Greater(t, looked, 1)
	for _, name := range drawn(before) {
		assert.NotContains(t, r.changed(), name, "it would draw or trust anew")
	}
	for _, name := range r.actions.names("delete") {
		_, again := before[name]
		assert.True(t, again && r.actions.find("create", name) != nil &&
			!before[name].Inputs.HasValue("delete"), "%s was deleted", name)
	}
}

// drawn returns the resources that generate a value or pin a host key. The commands of these
// resources must never run again.
func drawn(states map[string]*pkgresource.State) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(states)), func(name string) bool {
		text := states[name].Inputs["create"]
		return !text.IsString() || !strings.Contains(text.StringValue(), " keygen") &&
			!strings.Contains(text.StringValue(), " hostkey")
	})
}

// An update by this commit's program must lose no lasting resource of a stack that an earlier
// commit deployed.
func TestUpdateOfStackFromEarlierCommitReplacesNoLastingResource(t *testing.T) {
	for _, name := range keptStacks {
		t.Run(name, func(t *testing.T) {
			s := keptStack(t, name)
			before := s.stored()
			require.NotEmpty(t, before)
			s.lossless(t, before, s.up())
			assert.Empty(t, s.mustUp().changed(), "the second up")
			require.NoError(t, s.destroy().err)
			assert.Empty(t, s.stored())
		})
	}
}

// A version of Strata may change the texts of all commands, for example a flag or the program's
// path. Only commands that may run again may then run.
func TestChangedCommandTextsReplaceNoLastingResource(t *testing.T) {
	for _, name := range keptStacks {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			s.mustUp()
			for _, state := range s.snapshot.Resources {
				for _, verb := range []resource.PropertyKey{"create", "update"} {
					if text := state.Inputs[verb]; text.IsString() &&
						strings.HasPrefix(string(state.Type), "command:") {
						state.Inputs[verb] = resource.NewProperty(text.StringValue() +
							" # as it was")
					}
				}
			}
			before := s.stored()
			s.lossless(t, before, s.up())
			assert.Empty(t, s.mustUp().changed(), "the second up")
		})
	}
}
