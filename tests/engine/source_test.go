package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
	"strata/platform"
)

// bundleOf copies the project's bundle with another origin of its artifacts, and returns the
// folder.
func (s *stack) bundleOf(origin string) string {
	s.t.Helper()
	folder := filepath.Join(s.t.TempDir(), "bundle")
	require.NoError(s.t, os.CopyFS(folder, os.DirFS(s.project.Bundle)))
	manifest, err := artifacts.ReadManifest(folder)
	require.NoError(s.t, err)
	for i := range manifest.Artifacts {
		manifest.Artifacts[i].Origin = origin
	}
	text, err := json.Marshal(manifest)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(filepath.Join(folder, artifacts.ManifestFile), text, 0o600))
	return folder
}

// sources returns a stack whose configuration selects the bundle own. newer is another bundle of
// releases, and lab a bundle of stand-ins.
func sources(t *testing.T, name string) (s *stack, own, newer, lab string) {
	t.Helper()
	s = newStack(t, name)
	own = s.bundleOf("real: a release")
	newer = s.bundleOf("real: the next")
	lab = s.bundleOf("stand-in: the lab's")
	t.Setenv(config.ArtifactsVariable, "")
	s.registers = platform.Program{State: s.state}.Run
	s.set("artifacts", "source", own)
	return s, own, newer, lab
}

// refusedSource asserts that a preview and an update are refused and change nothing.
func (s *stack) refusedSource(expected, found string) {
	s.t.Helper()
	before := maps.Clone(s.stored())
	for when, refused := range map[string]*result{"preview": s.preview(), "up": s.up()} {
		require.Error(s.t, refused.err, when)
		said := fmt.Sprint(refused.err, refused.errors)
		assert.Contains(s.t, said, "expected kind "+expected+", as its last run had, found "+
			found, when)
		assert.Contains(s.t, said, "STRATA_ARTIFACTS=", when)
		assert.Empty(s.t, refused.actions, when)
	}
	assert.Len(s.t, s.stored(), len(before))
}

// The lab's K3s in place of a release would restart every node with another program.
func TestChangedArtifactKindIsRefusedUnlessConfigured(t *testing.T) {
	for _, name := range []string{"staging", "kind"} {
		t.Run(name, func(t *testing.T) {
			s, own, newer, lab := sources(t, name)
			s.mustUp()
			output := func() string { return s.stored()["strata-"+name].Outputs["artifacts"].StringValue() }
			assert.Equal(t, artifacts.KindBundle, output())
			s.set("artifacts", "source", lab)
			s.refusedSource(artifacts.KindBundle, artifacts.KindLab)
			s.set("artifacts", "source", newer)
			require.NoError(t, s.up().err, "another bundle without stand-ins")
			s.set("artifacts", "source", own)

			t.Setenv(config.ArtifactsVariable, lab)
			s.mustUp()
			assert.Equal(t, artifacts.KindLab, output())
			t.Setenv(config.ArtifactsVariable, "")
			s.refusedSource(artifacts.KindLab, artifacts.KindBundle)
			s.set("artifacts", "source", lab)
			assert.Empty(t, s.mustUp().changed(), "it is the stack's kind now")
		})
	}
}

// A failed update writes no outputs of the stack, but may have run K3s. So the kind must be known
// without outputs.
func TestArtifactKindIsKnownAfterFailedUpdate(t *testing.T) {
	const failing = "k3s-server-1-install"
	s, own, _, lab := sources(t, "staging")
	s.fail("create", failing)
	require.Error(t, s.up().err)
	require.Contains(t, s.stored(), "k3s-server-1-admission")
	require.NotContains(t, s.stored()["strata-staging"].Outputs, "artifacts")
	s.set("artifacts", "source", lab)
	s.refusedSource(artifacts.KindBundle, artifacts.KindLab)

	t.Setenv(config.ArtifactsVariable, lab)
	require.Error(t, s.up().err, "the install fails again")
	t.Setenv(config.ArtifactsVariable, "")
	s.set("artifacts", "source", own)
	s.refusedSource(artifacts.KindLab, artifacts.KindBundle)

	s.heal("create", failing)
	require.NoError(t, s.destroy().err)
	s.mustUp()
	assert.Empty(t, s.mustUp().changed(), "a stack that was destroyed is new")
}
