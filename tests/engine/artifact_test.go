package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// newArtifact changes the content of an artifact in the bundle, and its version if one is given.
func (s *stack) newArtifact(name string, version ...string) {
	s.t.Helper()
	bundle := os.Getenv(config.ArtifactsVariable)
	manifest, err := artifacts.ReadManifest(bundle)
	require.NoError(s.t, err)
	found := false
	for i, entry := range manifest.Artifacts {
		if entry.Name != name {
			continue
		}
		found = true
		for _, one := range version {
			manifest.Artifacts[i].Version = one
		}
		content := []byte("the next " + name)
		sum := sha256.Sum256(content)
		manifest.Artifacts[i].SHA256 = hex.EncodeToString(sum[:])
		manifest.Artifacts[i].Size = int64(len(content))
		require.NoError(s.t, os.WriteFile(filepath.Join(bundle, entry.Path), content, 0o600))
	}
	require.True(s.t, found, "the bundle has no artifact %s", name)
	text, err := json.Marshal(manifest)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(filepath.Join(bundle, artifacts.ManifestFile), text, 0o600))
}
