package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// otherBundle returns a copy of the bundle with changed files. It calls change with the path of
// each file that matches the pattern file. change may replace the file, and returns its checksum.
func (s *stack) otherBundle(t *testing.T, file string, change func(path string) string) string {
	t.Helper()
	other := filepath.Join(t.TempDir(), "bundle")
	s.must(s.run("cp", "-al", bundle, other))
	found := false
	s.editManifest(t, other, func(entry map[string]any) {
		if matches, err := filepath.Match(file, entry["path"].(string)); err == nil && matches {
			path := filepath.Join(other, entry["path"].(string))
			entry["sha256"] = change(path)
			info, err := os.Stat(path)
			require.NoError(t, err)
			entry["size"], found = info.Size(), true
		}
	})
	require.True(t, found, "no %s in %s", file, bundle)
	return other
}

// editManifest edits the entries in the manifest of a story's own bundle.
func (s *stack) editManifest(t *testing.T, folder string, edit func(entry map[string]any)) {
	t.Helper()
	manifest := filepath.Join(folder, "manifest.json")
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	var content map[string]any
	require.NoError(t, json.Unmarshal(text, &content))
	for _, entry := range content["artifacts"].([]any) {
		edit(entry.(map[string]any))
	}
	text, err = json.Marshal(content)
	require.NoError(t, err)
	require.NoError(t, os.Remove(manifest), "it is a link to the bundle's own")
	require.NoError(t, os.WriteFile(manifest, text, 0o600))
}

// sumOf returns a file's sha256.
func sumOf(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
