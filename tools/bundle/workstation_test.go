package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// A stack file or a manifest may have plain secrets, so a restricted file stays restricted.
func TestBundledProjectFilesKeepRestrictedPermissions(t *testing.T) {
	for before, want := range map[os.FileMode]os.FileMode{0o644: 0o644, 0o664: 0o644, 0o600: 0o600,
		0o640: 0o600, 0o400: 0o400} {
		b, err := opened(t, filepath.Join(t.TempDir(), "bundle"))
		require.NoError(t, err)
		for _, file := range []string{"Pulumi.yaml", "Pulumi.test.yaml", "shop.yaml"} {
			path := filepath.Join(b.project, file)
			require.NoError(t, os.WriteFile(path, []byte("name: strata\n"), 0o600))
			require.NoError(t, os.Chmod(path, before))
		}
		cfg := &config.Config{}
		cfg.Apps.Manifests = []string{"shop.yaml"}
		for range 2 { // a second time over the first
			require.NoError(t, b.files(cfg))
		}
		for _, file := range []string{"Pulumi.yaml", "Pulumi.test.yaml", "shop.yaml"} {
			info, err := os.Stat(filepath.Join(b.dir, projectFolder, file))
			require.NoError(t, err)
			assert.Equal(t, want, info.Mode().Perm(), "%s of %s", file, before)
		}
	}
}
