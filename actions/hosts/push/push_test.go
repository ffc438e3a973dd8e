package push

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeK3s puts a fake k3s first in PATH. Called with --help, it prints help. Otherwise it appends
// its arguments to the file output, and exits with code.
func fakeK3s(t *testing.T, help string, code int) (output string) {
	t.Helper()
	dir := t.TempDir()
	output = filepath.Join(dir, "said")
	script := fmt.Sprintf("#!/bin/sh\ncase $* in *--help) echo '%s'; exit;; esac\n"+
		"echo \"$@\" >>%s\necho 'no space left' >&2\nexit %d\n", help, output, code)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k3s"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return output
}

func TestImagesAreImportedOnlyWhileContainerdListens(t *testing.T) {
	output := fakeK3s(t, "--local  Run import locally rather than through transfer API", 0)
	socket := filepath.Join(t.TempDir(), "containerd.sock")
	load := func() error {
		return exec.Command("sh", "-c",
			importScript(socket, "/images/it's.tar",
				[]string{"docker.io/library/a:1", "quay.io/b/c:2"})).Run()
	}
	require.NoError(t, load())
	assert.NoFileExists(t, output, "K3s is not there yet and will load them when it starts")

	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	require.NoError(t, err)
	require.NoError(t, load())
	text, err := os.ReadFile(output)
	require.NoError(t, err)
	const pinned = " io.cattle.k3s.pinned=pinned io.cri-containerd.pinned=pinned\n"
	ctr := "ctr --address " + socket + " --namespace k8s.io images "
	assert.Equal(t, ctr+"import --local=false /images/it's.tar\n"+ctr+"label docker.io/library/a:1"+pinned+ctr+
		"label quay.io/b/c:2"+pinned, string(text))

	require.NoError(t, os.Remove(output))
	listener.SetUnlinkOnClose(false)
	require.NoError(t, listener.Close())
	require.FileExists(t, socket)
	require.NoError(t, load())
	assert.NoFileExists(t, output, "a K3s that was killed leaves its socket behind")
}

func TestImageImportOmitsFlagThatContainerdLacks(t *testing.T) {
	output := fakeK3s(t, "--base-name  base image name for added images", 0)
	socket := filepath.Join(t.TempDir(), "containerd.sock")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	require.NoError(t, exec.Command("sh", "-c", importScript(socket, "a.tar", nil)).Run())
	text, err := os.ReadFile(output)
	require.NoError(t, err)
	assert.Equal(t, "ctr --address "+socket+" --namespace k8s.io images import a.tar\n", string(text))
}

func TestFailedImageImportIsAnError(t *testing.T) {
	fakeK3s(t, "", 1)
	socket := filepath.Join(t.TempDir(), "containerd.sock")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	out, err := exec.Command("sh", "-c", importScript(socket, "a.tar", nil)).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "no space left")
}

func TestImportScriptPassesShellcheck(t *testing.T) {
	checker, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	out, err := exec.Command(checker, "--shell=sh", "import.sh").CombinedOutput()
	require.NoError(t, err, string(out))
}
