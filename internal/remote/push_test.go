package remote_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/remote/sshtest"
)

func artifact(t *testing.T, size int) (path, sum string) {
	t.Helper()
	content := []byte(strings.Repeat("k3s\n", size/4))
	path = filepath.Join(t.TempDir(), "artifact")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	digest := sha256.Sum256(content)
	return path, hex.EncodeToString(digest[:])
}

func TestPushCopiesOnceAndThenSkips(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	local, sum := artifact(t, 5<<20)
	dest := filepath.Join(t.TempDir(), "new folder", "it's k3s")
	sent, err := client.Push(soon(t), local, dest, 0o755, sum)
	require.NoError(t, err)
	assert.True(t, sent)
	info, err := os.Stat(dest)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode())

	require.NoError(t, os.Chmod(dest, 0o600))
	sent, err = client.Push(soon(t), local, dest, 0o755, sum)
	require.NoError(t, err)
	assert.False(t, sent)
	info, err = os.Stat(dest)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode(), "a skipped push still sets the mode")
}

func TestPushOfAFileWithAnotherSumLeavesTheOldOne(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	local, _ := artifact(t, 1000)
	dest := filepath.Join(t.TempDir(), "k3s")
	require.NoError(t, os.WriteFile(dest, []byte("old"), 0o600))
	_, err := client.Push(soon(t), local, dest, 0o755, strings.Repeat("0", 64))
	require.ErrorContains(t, err, "expected sha256 0000")
	requireOnly(t, dest, "old")
}

func TestPushToAFullDiskSaysSoAndLeavesNothing(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	dir := t.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput()
	if err != nil {
		t.Skipf("cannot mount a small file system: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
	local, sum := artifact(t, 4<<20)
	_, err = client.Push(soon(t), local, filepath.Join(dir, "k3s"), 0o755, sum)
	require.ErrorContains(t, err, "no space in "+dir)
	assert.Contains(t, err.Error(), "needs 5 MiB")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestAnInterruptedPushLeavesNothing(t *testing.T) {
	server := sshtest.Start(t)
	client := connect(t, server)
	dest := filepath.Join(t.TempDir(), "k3s")
	// A pipe that is written a little and then stays open: the transfer is under way and does not end.
	fifo := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(fifo, make([]byte, 64<<20), 0o600))
	ctx, cancel := context.WithCancel(soon(t))
	go func() {
		defer cancel()
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
			if parts, _ := filepath.Glob(filepath.Join(filepath.Dir(dest), ".strata-push.*")); len(parts) == 1 {
				return
			}
		}
	}()
	_, err := client.Push(ctx, fifo, dest, 0o755, strings.Repeat("0", 64))
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool {
		left, err := os.ReadDir(filepath.Dir(dest))
		return err == nil && len(left) == 0
	}, 10*time.Second, 20*time.Millisecond)
}

func TestPushRefusesASumOrPathThatItWouldMisread(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	local, sum := artifact(t, 10)
	_, err := client.Push(soon(t), local, "relative", 0o600, sum)
	require.ErrorContains(t, err, "absolute path")
	_, err = client.Push(soon(t), local, "/tmp/x", 0o600, "'; rm -rf /; '")
	require.ErrorContains(t, err, "64 hex digits")
}

func TestTheScriptsAreCleanShell(t *testing.T) {
	checker, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	out, err := exec.Command(checker, "--shell=sh", "bootstrap.sh", "push.sh").CombinedOutput()
	require.NoError(t, err, string(out))
	bootstrap, err := os.ReadFile("bootstrap.sh")
	require.NoError(t, err)
	assert.NotContains(t, string(bootstrap), "'", "the text is passed in single quotes")
	assert.NotContains(t, string(bootstrap), "!", "csh would expand it")
}

func requireOnly(t *testing.T, path, content string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, content, string(got))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1)
}
