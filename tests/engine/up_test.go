package engine_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/platform"
	"strata/tests/pulumitest"
)

func TestUpdateCreatesResourcesAfterTheirDependencies(t *testing.T) {
	for _, name := range []string{"local", "staging", "rehearsal"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			did := s.mustUp().actions
			looked := 0
			for after, state := range s.stored() {
				if did.find("create", after) == nil {
					continue // a component or a provider
				}
				for _, need := range state.Dependencies {
					if did.find("create", need.Name()) == nil {
						continue
					}
					assert.True(t, did.before("create", need.Name(), "create", after),
						"%s was created before %s", after, need.Name())
					looked++
				}
			}
			assert.Greater(t, looked, 50)
		})
	}
}

// `pulumi up` must not wait for lab machines that do not run. It names the command that starts
// them.
func TestUpdateWithoutLabMachinesNamesMakeUp(t *testing.T) {
	for _, name := range []string{"local", "rehearsal"} {
		s := newStack(t, name)
		key := filepath.Join(s.project.Dir, ".strata/lab", name, "key")
		text, err := os.ReadFile(key)
		require.NoError(t, err)
		require.NoError(t, os.Remove(key))
		refused := s.up()
		require.Error(t, refused.err)
		assert.Empty(t, refused.actions)
		assert.Contains(t, strings.Join(slices.Collect(maps.Values(refused.errors)), "\n"),
			"make up makes them or starts them")
		require.NoError(t, os.WriteFile(key, text, 0o600))
		s.mustUp()
	}
}

// The golden graph is made with Pulumi's mocks. The engine must see the same dependencies.
func TestEngineGraphMatchesMockGraph(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	handed, err := s.handed()
	require.NoError(t, err)
	recorder := &pulumitest.Recorder{Outputs: pulumitest.NewAnswers(t).Outputs}
	require.NoError(t, pulumi.RunErr(platform.Run, pulumi.WithMocks("strata", "staging", recorder),
		func(info *pulumi.RunInfo) { info.Config = handed }))
	stored := s.stored()
	for _, recorded := range recorder.Resources() {
		state := stored[recorded.Name]
		require.NotNil(t, state, recorded.Name)
		assert.Equal(t, recorded.Dependencies, names(state.Dependencies), recorded.Name)
		assert.Equal(t, recorded.DeletedWith, nameOf(state.DeletedWith), recorded.Name)
	}
}

func names(urns []resource.URN) []string {
	var list []string
	for _, urn := range urns {
		list = append(list, urn.Name())
	}
	slices.Sort(list)
	return list
}

func nameOf(urn resource.URN) string {
	if urn == "" {
		return ""
	}
	return urn.Name()
}

func TestSecondUpdateChangesNothing(t *testing.T) {
	for _, name := range []string{"local", "staging", "rehearsal"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			s.mustUp()
			seen := s.preview()
			require.NoError(t, seen.err)
			assert.Empty(t, seen.changed(), "preview")
			again := s.mustUp()
			assert.Empty(t, again.changed(), "up")
			assert.Empty(t, again.actions)
		})
	}
}

func TestCheckoutAtOtherPathPreviewsNoChange(t *testing.T) {
	for _, name := range []string{"local", "staging"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			s.mustUp()
			elsewhere := t.TempDir()
			here, err := os.Getwd()
			require.NoError(t, err)
			require.NoError(t, os.CopyFS(elsewhere, os.DirFS(here)))
			t.Chdir(elsewhere)
			t.Setenv(config.ArtifactsVariable, filepath.Join(elsewhere, "bundle"))
			seen := s.preview()
			require.NoError(t, seen.err)
			assert.Empty(t, seen.changed())
		})
	}
}

func TestUpdateSucceedsWithLowParallelism(t *testing.T) {
	for _, parallel := range []int32{1, 4} {
		s := newStack(t, "staging")
		s.parallel = parallel
		s.mustUp()
		assert.Empty(t, s.mustUp().changed())
		require.NoError(t, s.destroy().err)
		assert.Empty(t, s.stored())
	}
}

func TestStateHasNoSecretInPlainText(t *testing.T) {
	for _, name := range []string{"local", "staging", "kind"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			s.mustUp()
			for _, state := range s.stored() {
				for what, values := range map[string]resource.PropertyMap{"inputs": state.Inputs,
					"outputs": state.Outputs} {
					for _, text := range []string{pulumitest.Token, pulumitest.ClientKey, "PRIVATE KEY"} {
						assert.Empty(t, pulumitest.FindPlain(what,
							resource.NewProperty(values), text),
							state.URN.Name())
					}
				}
			}
			exported := s.stored()["strata-"+name].Outputs["kubeconfig"]
			assert.True(t, exported.IsSecret())
			assert.True(t, pulumitest.Contains(exported, pulumitest.ClientKey))
		})
	}
}
