package remote

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/files/digest"
)

// receive returns a host's shell that receives a file; sent is the part that arrives.
func receive(t *testing.T, dest, sent, content string) *exec.Cmd {
	settings := Upload{Dest: dest, Mode: 0o644, SHA256: digest.Sum([]byte(content))}.settings(0,
		int64(len(content)))
	command := exec.CommandContext(t.Context(), "sh", "-c", settings+pushScript)
	command.Stdin = strings.NewReader(sent)
	return command
}

func filesIn(t *testing.T, folder string) []string {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// A killed caller does not read any more, so the script's last write fails.
func TestPushKeepsPartialFileWhenCallerDies(t *testing.T) {
	folder := t.TempDir()
	reads, writes, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reads.Close())
	defer func() { _ = writes.Close() }()
	command := receive(t, filepath.Join(folder, "k3s"), "half", "the whole")
	command.Stderr = writes
	require.Error(t, command.Run())
	kept, err := os.ReadFile(filepath.Join(folder, ".strata-push."+digest.Sum([]byte("the whole"))))
	require.NoError(t, err)
	assert.Equal(t, "half", string(kept))
}

// The next push to a folder removes a part that no push has resumed for a day. A part that is being
// written stays.
func TestPushRemovesOnlyStalePartialFiles(t *testing.T) {
	folder := t.TempDir()
	left := filepath.Join(folder, ".strata-push.a")
	written := filepath.Join(folder, ".strata-push.b")
	recent := filepath.Join(folder, ".strata-push.c")
	for _, file := range []string{left, written, recent, filepath.Join(folder, "other")} {
		require.NoError(t, os.WriteFile(file, []byte("half"), 0o600))
		if file != recent {
			before := time.Now().Add(-25 * time.Hour)
			require.NoError(t, os.Chtimes(file, before, before))
		}
	}
	writer := exec.CommandContext(t.Context(), "flock", written, "sh", "-c", "echo held; cat")
	stdin, err := writer.StdinPipe()
	require.NoError(t, err)
	said, err := writer.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, writer.Start())
	_, err = said.Read(make([]byte, 4))
	require.NoError(t, err)
	out, err := receive(t, filepath.Join(folder, "k3s"), "the whole", "the whole").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.ElementsMatch(t, []string{".strata-push.b", ".strata-push.c", "k3s", "other"},
		filesIn(t, folder))
	require.NoError(t, stdin.Close())
	require.NoError(t, writer.Wait())
}
