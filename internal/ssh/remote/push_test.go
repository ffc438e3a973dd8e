package remote_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
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
	sent, err := client.Push(soon(t), remote.Upload{File: local, Dest: dest, Mode: 0o755, SHA256: sum})
	require.NoError(t, err)
	assert.True(t, sent)
	info, err := os.Stat(dest)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode())

	require.NoError(t, os.Chmod(dest, 0o600))
	sent, err = client.Push(soon(t), remote.Upload{File: local, Dest: dest, Mode: 0o755, SHA256: sum})
	require.NoError(t, err)
	assert.False(t, sent)
	info, err = os.Stat(dest)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode(), "a skipped push still sets the mode")
}

func TestPushWithWrongChecksumKeepsOldFile(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	local, _ := artifact(t, 1000)
	dest := filepath.Join(t.TempDir(), "k3s")
	require.NoError(t, os.WriteFile(dest, []byte("old"), 0o600))
	_, err := client.Push(soon(t), remote.Upload{File: local, Dest: dest, Mode: 0o755, SHA256: strings.Repeat("0", 64)})
	require.ErrorContains(t, err, "expected sha256 0000")
	requireOnly(t, dest, "old")
}

func TestPushToFullDiskFailsAndLeavesNoFile(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	dir := t.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput()
	if err != nil {
		t.Skipf("cannot mount a small file system: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
	local, sum := artifact(t, 4<<20)
	_, err = client.Push(soon(t), remote.Upload{File: local, Dest: filepath.Join(dir, "k3s"), Mode: 0o755, SHA256: sum})
	require.ErrorContains(t, err, "no space in "+dir)
	assert.Contains(t, err.Error(), "needs 5 MiB")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// slowLine forwards connections to a server at a rate in bytes a second, and counts the bytes to
// the server. It ends the first connection once cut returns true. Its buffer is small, so that the
// sender is as slow as the line.
func slowLine(t *testing.T, to remote.Target, rate int, cut func() bool) (at remote.Target, sent *atomic.Int64) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	sent = &atomic.Int64{}
	go func() {
		for first := true; ; first = false {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			_ = near.(*net.TCPConn).SetReadBuffer(32 << 10)
			far, err := net.Dial("tcp", net.JoinHostPort(to.Address, strconv.Itoa(to.Port)))
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(near, far); _ = near.Close() }()
			go func() {
				defer func() { _, _ = far.Close(), near.Close() }()
				buffer := make([]byte, rate/50)
				for n, err := near.Read(buffer); err == nil && !(first && cut()); n, err = near.Read(buffer) {
					_, _ = far.Write(buffer[:n])
					sent.Add(int64(n))
					time.Sleep(time.Duration(n) * time.Second / time.Duration(rate)) // the tested rate
				}
			}()
		}
	}()
	at = to
	at.Port = listener.Addr().(*net.TCPAddr).Port
	return at, sent
}

// At 1 Mbit/s the rest takes longer than Silence, which limits the time without progress. The host
// acknowledges each 256 KiB, which take two seconds.
func TestPushResumesInterruptedUploadOnSlowLine(t *testing.T) {
	t.Parallel()
	server := sshtest.Start(t)
	local, sum := artifact(t, 9<<18)
	upload := remote.Upload{File: local, Dest: filepath.Join(t.TempDir(), "k3s"), Mode: 0o755,
		SHA256: sum, Silence: 12 * time.Second}
	part := filepath.Join(filepath.Dir(upload.Dest), ".strata-push."+sum)
	slow, sent := slowLine(t, server.Target(), 125_000, func() bool {
		info, err := os.Stat(part)
		return err == nil && info.Size() >= 1<<18
	})
	push := func() (bool, error) {
		client, err := remote.Dial(soon(t), slow, server.PrivateKey())
		require.NoError(t, err)
		defer func() { _ = client.Close() }()
		return client.Push(t.Context(), upload)
	}
	_, err := push()
	require.ErrorContains(t, err, "lost")
	require.FileExists(t, part)
	before, begun := sent.Load(), time.Now()
	arrived, err := push()
	require.NoError(t, err)
	assert.True(t, arrived)
	assert.Less(t, sent.Load()-before, int64(2<<20+100<<10), "what had arrived is not sent again")
	assert.Greater(t, time.Since(begun), upload.Silence)
	content, err := os.ReadFile(local)
	require.NoError(t, err)
	requireOnly(t, upload.Dest, string(content))
}

func TestReadEndsWhenHostIsSilent(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		_, _ = io.WriteString(call.Stdout, "half of it")
		<-call.Gone
		return 1
	}
	var out strings.Builder
	err := connect(t, server).Read(soon(t), "/snapshot", &out, 500*time.Millisecond)
	require.ErrorContains(t, err, "nothing went through for 500ms")
}

// After a power failure, a partial file may have its length but not its content.
func TestPushDiscardsDamagedPartialFile(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	local, sum := artifact(t, 1<<20)
	dest := filepath.Join(t.TempDir(), "k3s")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(dest), ".strata-push."+sum), make([]byte, 1000), 0o600))
	_, err := client.Push(soon(t), remote.Upload{File: local, Dest: dest, Mode: 0o755, SHA256: sum})
	require.NoError(t, err)
	content, err := os.ReadFile(local)
	require.NoError(t, err)
	requireOnly(t, dest, string(content))
}

func TestPushTimesOutWithoutProgress(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		if strings.Contains(call.Script, "stat -c %s -- \"$part\"; else echo 0") {
			_, _ = io.WriteString(call.Stdout, "none\n0\n")
			return 0
		}
		<-call.Gone
		return 1
	}
	client := connect(t, server)
	local, sum := artifact(t, 1000)
	_, err := client.Push(soon(t),
		remote.Upload{File: local, Dest: "/k3s", Mode: 0o755, SHA256: sum, Silence: 100 * time.Millisecond})
	require.ErrorContains(t, err, "nothing went through for 100ms")
}

// While a script does not read, sshd copies its whole buffer for the script with each packet.
func TestPushLimitsUnacknowledgedData(t *testing.T) {
	server := sshtest.Start(t)
	line, sent := slowLine(t, server.Target(), 1<<30, func() bool { return false })
	client, err := remote.Dial(soon(t), line, server.PrivateKey())
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	local, sum := artifact(t, 2<<20)
	upload := remote.Upload{File: local, Dest: filepath.Join(t.TempDir(), "k3s"), Mode: 0o755,
		SHA256: sum, Silence: time.Second}
	folder, err := os.Open(filepath.Dir(upload.Dest))
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(folder.Fd()), syscall.LOCK_EX))
	_, err = client.Push(soon(t), upload)
	require.ErrorContains(t, err, "nothing went through")
	assert.Less(t, sent.Load(), int64(1<<20))
	require.NoError(t, folder.Close())
	_, err = client.Push(soon(t), upload)
	require.NoError(t, err)
}

func TestInterruptedPushKeepsPartialFile(t *testing.T) {
	server := sshtest.Start(t)
	client := connect(t, server)
	dest := filepath.Join(t.TempDir(), "k3s")
	big := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(big, make([]byte, 64<<20), 0o600))
	ctx, cancel := context.WithCancel(soon(t))
	go func() {
		defer cancel()
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
			if parts, _ := filepath.Glob(filepath.Join(filepath.Dir(dest), ".strata-push.*")); len(parts) == 1 {
				return
			}
		}
	}()
	_, err := client.Push(ctx, remote.Upload{File: big, Dest: dest, Mode: 0o755, SHA256: strings.Repeat("0", 64)})
	require.ErrorIs(t, err, context.Canceled)
	left, err := os.ReadDir(filepath.Dir(dest))
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, ".strata-push."+strings.Repeat("0", 64), left[0].Name())
}

func TestPushRefusesInvalidChecksumOrPath(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	local, sum := artifact(t, 10)
	_, err := client.Push(soon(t), remote.Upload{File: local, Dest: "relative", Mode: 0o600, SHA256: sum})
	require.ErrorContains(t, err, "absolute path")
	_, err = client.Push(soon(t), remote.Upload{File: local, Dest: "/tmp/x", Mode: 0o600, SHA256: "'; rm -rf /; '"})
	require.ErrorContains(t, err, "64 hex digits")
}

func TestRemoteScriptsPassShellcheck(t *testing.T) {
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
