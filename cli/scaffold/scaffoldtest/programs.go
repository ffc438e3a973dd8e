package scaffoldtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// OnlySSH sets PATH so that OpenSSH's client is the only program in it.
func OnlySSH(t *testing.T) {
	t.Helper()
	programs := t.TempDir()
	client, err := exec.LookPath("ssh")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(client, filepath.Join(programs, "ssh")))
	t.Setenv("PATH", programs)
}
