package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/files/digest"
	"strata/internal/ssh/remote/sshtest"
)

// push imports only archives with images. It also imports an archive that the host has already,
// because an interrupted run may have sent the archive without importing it.
func TestPushImportsOnlyImageArchives(t *testing.T) {
	server := sshtest.Start(t)
	t.Setenv("STRATA_SSH_KEY", string(server.PrivateKey()))
	dir := t.TempDir()
	file, dest := filepath.Join(dir, "file"), filepath.Join(dir, "dest.tar")
	require.NoError(t, os.WriteFile(file, make([]byte, 1024), 0o600),
		"an archive with nothing in it")
	sum, err := digest.File(file)
	require.NoError(t, err)
	input := map[string]any{"target": server.Target(), "file": file, "sha256": sum, "dest": dest,
		"mode": "0644", "timeout": "20s"}
	scripts := func() int {
		before := len(server.Commands())
		text, err := json.Marshal(input)
		require.NoError(t, err)
		code, _, stderr := invoke(t, string(text), "push")
		require.Equal(t, 0, code, stderr)
		return len(server.Commands()) - before
	}
	assert.Equal(t, 2, scripts(), "read and copy")
	assert.Equal(t, 1, scripts(), "read")
	input["images"] = true
	assert.Equal(t, 2, scripts(), "read and load")
}
