//go:build e2e

package machines

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestCreateAgainChangesNothingAndRefusesOtherAddress(t *testing.T) {
	spec, _ := e2eSpec(t, 1)
	first, err := Create(e2eContext(t), spec, nil)
	require.NoError(t, err)
	pid := leader(spec.Name)
	require.NotZero(t, pid)
	second, err := Create(e2eContext(t), spec, nil)
	require.NoError(t, err)
	assert.Equal(t, first, second)
	assert.Equal(t, pid, leader(spec.Name))

	moved := spec
	moved.Address = spec.Address.Next()
	_, err = Create(e2eContext(t), moved, nil)
	require.ErrorContains(t, err, "exists with another address")

	other, _ := e2eSpec(t, 2)
	other.Address = spec.Address
	_, err = Create(e2eContext(t), other, nil)
	require.ErrorContains(t, err, "is in use by machine "+spec.Name)
	assert.NoDirExists(t, string(machineDir(other.Name)))
}

func TestMachineRebootsAndSurvivesAPowerCut(t *testing.T) {
	spec, key := e2eSpec(t, 1)
	made, err := Create(e2eContext(t), spec, nil)
	require.NoError(t, err)
	root := login(t, "root", spec, key, made.HostKey)
	id := remote(t, root, "cat /etc/machine-id && echo kept > /root/note")
	before := leader(spec.Name)
	session, err := root.NewSession()
	require.NoError(t, err)
	_ = session.Run("systemctl reboot") // the reboot breaks the connection
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		pid := leader(spec.Name)
		assert.True(c, pid != 0 && pid != before, "process 1 is still %d", pid)
	}, time.Minute, 50*time.Millisecond)
	require.NoError(t, Start(e2eContext(t), spec.Name, nil))
	assert.Equal(t, id, remote(t, login(t, "root", spec, key, made.HostKey), "cat /etc/machine-id"))

	require.NoError(t, Stop(e2eContext(t), spec.Name, true))
	state, err := stateOf(spec.Name)
	require.NoError(t, err)
	assert.Equal(t, Stopped, state)
	assertGone(t, "/sys/class/net/vb-"+spec.Name)
	require.NoError(t, Start(e2eContext(t), spec.Name, nil))
	assert.Equal(t, "kept", remote(t, login(t, "root", spec, key, made.HostKey), "cat /root/note"))
}

func TestMachineStartsAfterLossOfSupervisorAndBridge(t *testing.T) {
	spec, key := e2eSpec(t, 1)
	made, err := Create(e2eContext(t), spec, nil)
	require.NoError(t, err)
	pid, err := supervisorPid(spec.Name)
	require.NoError(t, err)
	require.NoError(t, unix.Kill(pid, unix.SIGKILL))
	require.NoError(t, waitProcess(e2eContext(t), pid))
	out, err := exec.Command("ip", "link", "delete", spec.Bridge).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, Start(e2eContext(t), spec.Name, nil))
	assert.Equal(t, spec.Hostname, remote(t, login(t, "root", spec, key, made.HostKey), "hostname"))
}

func TestPausedMachineIsSilentUntilResumed(t *testing.T) {
	spec, _ := e2eSpec(t, 1)
	_, err := Create(e2eContext(t), spec, nil)
	require.NoError(t, err)
	require.NoError(t, Pause(t.Context(), spec.Name))
	key, err := machineDir(spec.Name).layer().ReadHostKey()
	require.NoError(t, err)
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.Error(t, handshake(short, spec.Address.String()+":22", key))
	_, err = Create(e2eContext(t), spec, nil)
	require.ErrorContains(t, err, "is paused")
	require.NoError(t, Resume(t.Context(), spec.Name))
	require.NoError(t, Start(e2eContext(t), spec.Name, nil))
	require.NoError(t, Pause(t.Context(), spec.Name), "the last state must not block deletion")
}

func TestMachineOutlivesTheProcessGroupThatMadeIt(t *testing.T) {
	spec, _ := e2eSpec(t, 1)
	inherited, err := unix.Open(t.TempDir(), unix.O_RDONLY, 0) // like the lock file that flock(1) passes to its command
	require.NoError(t, err)
	defer unix.Close(inherited)
	_, err = Create(e2eContext(t), spec, nil)
	require.NoError(t, err)
	pid, err := supervisorPid(spec.Name)
	require.NoError(t, err)
	held, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	require.NoError(t, err)
	for _, fd := range held {
		target, err := os.Readlink(fd)
		require.NoError(t, err)
		assert.NotContains(t, target, "TestMachineOutlives", "a file of the caller is held open")
	}
	session, err := unix.Getsid(pid)
	require.NoError(t, err)
	assert.Equal(t, pid, session, "the supervisor leads a session of its own")
	for _, fd := range []string{"0", "1", "2"} {
		target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd))
		require.NoError(t, err)
		assert.NotContains(t, target, "pipe:", "no pipe of the caller is held open")
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	require.NoError(t, err)
	assert.Equal(t, hostPath+"\x00", string(environ), "the caller's environment, with its secrets, is left behind")
}

func TestFiveMachinesCreatedAtOnceLeaveNothingWhenDeleted(t *testing.T) {
	var wg sync.WaitGroup
	specs := make([]Spec, 5)
	for i := range specs {
		specs[i], _ = e2eSpec(t, i+1)
	}
	ctx := e2eContext(t)
	for _, spec := range specs {
		wg.Go(func() { _, err := Create(ctx, spec, &Log{W: t.Output()}); assert.NoError(t, err) })
	}
	wg.Wait()
	for _, spec := range specs {
		wg.Go(func() { assert.NoError(t, Delete(ctx, spec.Name, nil)) })
	}
	wg.Wait()
	assertNothingLeft(t, specs)
}

func TestFailedCreationLeavesNothing(t *testing.T) {
	spec, _ := e2eSpec(t, 1)
	wrongSum := spec
	wrongSum.ImageSHA256 = testSHA
	_, err := Create(e2eContext(t), wrongSum, nil)
	require.ErrorContains(t, err, "expected sha256 "+testSHA)
	assertNothingLeft(t, []Spec{wrongSum})

	slow := spec
	slow.BootDelay = Duration(time.Hour)
	require.NoError(t, checkDisk())
	require.NoError(t, ensureImage(e2eContext(t), slow, nil))
	short, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err = Create(short, slow, nil)
	require.ErrorContains(t, err, "did not answer in time")
	assertNothingLeft(t, []Spec{slow})
}

func TestForeignDirectoryAndBridgeAreNotChanged(t *testing.T) {
	spec, _ := e2eSpec(t, 3)
	require.NoError(t, os.MkdirAll(machineDir(spec.Name).path("precious"), 0o700))
	_, err := Create(e2eContext(t), spec, nil)
	require.ErrorContains(t, err, "was not made by Strata")
	require.ErrorContains(t, Delete(e2eContext(t), spec.Name, nil), "was not made by Strata")
	assert.DirExists(t, machineDir(spec.Name).path("precious"))
	require.NoError(t, os.RemoveAll(string(machineDir(spec.Name))))

	ip := func(args ...string) {
		out, err := exec.Command("ip", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	ip("link", "add", spec.Bridge, "type", "bridge")
	defer ip("link", "delete", spec.Bridge)
	ip("addr", "add", "10.99.9.1/24", "dev", spec.Bridge)
	_, err = Create(e2eContext(t), spec, nil)
	require.ErrorContains(t, err, "expected address 10.21.9.1/24, found [10.99.9.1/24]")
	assert.DirExists(t, filepath.Join("/sys/class/net", spec.Bridge, "bridge"), "a bridge that was there before stays")
}
