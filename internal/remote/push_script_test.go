package remote

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/digest"
)

// receive is a host's shell that receives a file of which what is sent arrives.
func receive(t *testing.T, dest, sent, content string) *exec.Cmd {
	settings := fmt.Sprintf("dest=%s mode=0644 want=%s size=%d\n", Quote(dest), digest.Of([]byte(content)), len(content))
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

// A caller that is killed hears no more: the script's last word finds no reader.
func TestAPushWhoseCallerIsGoneLeavesNoPart(t *testing.T) {
	folder := t.TempDir()
	reads, writes, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reads.Close())
	defer func() { _ = writes.Close() }()
	command := receive(t, filepath.Join(folder, "k3s"), "half", "the whole")
	command.Stderr = writes
	require.Error(t, command.Run())
	assert.Empty(t, filesIn(t, folder))
}

// A host that lost its power, or a script that was killed before it could clean up, leaves a part: the next push to the folder removes it, but
// none that is being written.
func TestAPushRemovesThePartsThatOthersLeft(t *testing.T) {
	folder := t.TempDir()
	left, written := filepath.Join(folder, ".strata-push.aaaaaa"), filepath.Join(folder, ".strata-push.bbbbbb")
	for _, file := range []string{left, written, filepath.Join(folder, "other")} {
		require.NoError(t, os.WriteFile(file, []byte("half"), 0o600))
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
	assert.ElementsMatch(t, []string{".strata-push.bbbbbb", "k3s", "other"}, filesIn(t, folder))
	require.NoError(t, stdin.Close())
	require.NoError(t, writer.Wait())
}
