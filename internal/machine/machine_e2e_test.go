//go:build e2e

package machine

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

// imageVariable names the machine image's tar; without it the lab's newest one is used.
const imageVariable = "STRATA_MACHINE_IMAGE"

// TestMain lets the test binary be the supervisor of the machines it makes.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "machine" {
		var err error
		switch os.Args[2] {
		case "supervise":
			err = Supervise(os.Args[3], &Log{W: os.Stdout})
		case "boot":
			err = Boot(os.Args[3])
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	e2eBridge  = "stme2e0"
	e2eSubnet  = "10.21.9.0/24"
	e2eTimeout = 3 * time.Minute
)

// e2eSpec is the spec of machine n, with the private key that may log in.
func e2eSpec(t *testing.T, n int) (Spec, ssh.Signer) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("machines need root")
	}
	if err := checkPrograms(); err != nil {
		t.Skip(err)
	}
	path, sha := e2eImage(t)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	sshPublic, err := ssh.NewPublicKey(public)
	require.NoError(t, err)
	spec := Spec{
		Name: fmt.Sprintf("stme2e-%d", n), Image: path, ImageSHA256: sha, Bridge: e2eBridge,
		Subnet: netip.MustParsePrefix(e2eSubnet), AuthorizedKey: authorizedForm(sshPublic),
		Address: netip.MustParseAddr(fmt.Sprintf("10.21.9.%d", 10+n)),
	}
	spec.setDefaults()
	require.NoError(t, spec.Validate())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), e2eTimeout)
		defer cancel()
		assert.NoError(t, Delete(ctx, spec.Name, nil))
	})
	return spec, signer
}

var e2eImage = func() func(t *testing.T) (path, sha string) {
	var sha string
	return func(t *testing.T) (string, string) {
		path := os.Getenv(imageVariable)
		if path == "" {
			cache, err := os.UserCacheDir()
			require.NoError(t, err)
			found, err := filepath.Glob(filepath.Join(cache, "strata/image/*.tar"))
			require.NoError(t, err)
			if len(found) == 0 {
				t.Skipf("no machine image: set %s, or build one with tests/lab/image/build.sh", imageVariable)
			}
			path = found[len(found)-1]
		}
		if sha == "" {
			f, err := os.Open(path)
			require.NoError(t, err)
			defer f.Close()
			sum := sha256.New()
			_, err = io.Copy(sum, f)
			require.NoError(t, err)
			sha = hex.EncodeToString(sum.Sum(nil))
		}
		return path, sha
	}
}()

func e2eContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), e2eTimeout)
	t.Cleanup(cancel)
	return ctx
}

// login opens a session with the pinned host key.
func login(t *testing.T, user string, spec Spec, key ssh.Signer, hostKey string) *ssh.Client {
	t.Helper()
	pinned, _, _, _, err := ssh.ParseAuthorizedKey([]byte(hostKey))
	require.NoError(t, err)
	client, err := ssh.Dial("tcp", spec.Address.String()+":22", &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: ssh.FixedHostKey(pinned), Timeout: 20 * time.Second,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func remote(t *testing.T, client *ssh.Client, command string) string {
	t.Helper()
	session, err := client.NewSession()
	require.NoError(t, err)
	defer session.Close()
	out, err := session.CombinedOutput(command)
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func TestMachineIsAHostThatKubernetesCanUse(t *testing.T) {
	spec, key := e2eSpec(t, 1)
	made, err := Create(e2eContext(t), spec, &Log{W: t.Output()})
	require.NoError(t, err)
	root := login(t, "root", spec, key, made.HostKey)
	assert.Contains(t, remote(t, root, "timeout 120 cloud-init status --wait"), "status: done")
	assert.Equal(t, "root", remote(t, login(t, "strata", spec, key, made.HostKey), "sudo -n id -un"))
	assert.Equal(t, "1\n10\n1", remote(t, root, "cat /proc/sys/vm/overcommit_memory /proc/sys/kernel/panic /proc/sys/kernel/panic_on_oops"))
	assert.Equal(t, spec.Hostname, remote(t, root, "hostname"))
	assert.Equal(t, "shared", remote(t, root, "findmnt -no PROPAGATION /"))
	assert.Contains(t, remote(t, root, "systemctl start containerd && ctr version"), "Server:")
	remote(t, root, "iptables -t nat -N STRATA && iptables -t nat -X STRATA && ipset create s hash:ip && ipset destroy s")
	remote(t, root, "ip link add vx0 type vxlan id 9 dev host0 dstport 8472 && ip link delete vx0")
	remote(t, root, "cd /var/lib/rancher && mkdir l u w m && mount -t overlay overlay -o lowerdir=l,upperdir=u,workdir=w m && umount m")
}

func TestSameSpecAgainChangesNothingAndAnotherAddressIsRefused(t *testing.T) {
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
	_ = session.Run("systemctl reboot") // the connection goes with the machine
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
	assertGone(t, sysNet("vb-"+spec.Name))
	require.NoError(t, Start(e2eContext(t), spec.Name, nil))
	assert.Equal(t, "kept", remote(t, login(t, "root", spec, key, made.HostKey), "cat /root/note"))
}

func TestMachineStartsAgainAfterItsSupervisorAndBridgeWereLost(t *testing.T) {
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
	key, err := readHostKey(machineDir(spec.Name))
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
	_, err := Create(e2eContext(t), spec, nil)
	require.NoError(t, err)
	pid, err := supervisorPid(spec.Name)
	require.NoError(t, err)
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

func TestFiveMachinesAtOnceShareBridgeAndImageAndLeaveNothing(t *testing.T) {
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

func TestNamesAndBridgesOfOthersAreLeftAlone(t *testing.T) {
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
	assert.DirExists(t, sysNet(spec.Bridge, "bridge"), "a bridge that was there before stays")
}

// assertGone is for links: an interface below /sys/class/net is one, which assert.NoDirExists takes for gone.
func assertGone(t *testing.T, path string) {
	t.Helper()
	_, err := os.Lstat(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func assertNothingLeft(t *testing.T, specs []Spec) {
	t.Helper()
	for _, spec := range specs {
		assert.NoDirExists(t, string(machineDir(spec.Name)))
		assertGone(t, sysNet("vb-"+spec.Name))
		assert.NoDirExists(t, filepath.Join("/run/systemd/nspawn/propagate", spec.Name))
		all, err := hostHierarchies()
		require.NoError(t, err)
		for _, h := range all {
			assert.NoDirExists(t, h.base(spec.Name))
		}
	}
	assertGone(t, sysNet(e2eBridge))
	rules, err := exec.Command("iptables-save").Output()
	require.NoError(t, err)
	assert.NotContains(t, string(rules), ruleComment(e2eBridge))
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	assert.NotContains(t, string(mounts), machinesDir()+"/stme2e")
}
