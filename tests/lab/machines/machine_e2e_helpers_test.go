//go:build e2e

package machines

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
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/tests/lab/machines/rootfs"
)

// imageVariable is the environment variable with the path of the machine image, as in tests/e2e.
// Without it, the tests use the image in the lab's bundle. They need no other part of the lab.
const imageVariable = "E2E_IMAGE"

// TestMain runs the supervisor and boot processes of the machines that the tests create.
func TestMain(m *testing.M) {
	if isProcess, err := RunProcess(os.Args[1:]); isProcess {
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

// e2eSpec returns the spec of the n-th machine, and the private key that may log in.
func e2eSpec(t *testing.T, n int) (Spec, ssh.Signer) {
	t.Helper()
	require.NoError(t, checkHost())
	path, sha := e2eImage(t)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	sshPublic, err := ssh.NewPublicKey(public)
	require.NoError(t, err)
	spec := Spec{
		Name: fmt.Sprintf("stme2e-%d", n), Image: path, ImageSHA256: sha, Bridge: e2eBridge,
		Subnet: netip.MustParsePrefix(e2eSubnet), AuthorizedKey: rootfs.AuthorizedForm(sshPublic),
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
			path = filepath.Join(cache, "strata/bundle/machine/machine-image.tar") // make lab builds it
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

// login opens an SSH connection, and checks the host key.
func login(t *testing.T, user string, spec Spec, key ssh.Signer, hostKey string) *ssh.Client {
	t.Helper()
	pinned, _, _, _, err := ssh.ParseAuthorizedKey([]byte(hostKey))
	require.NoError(t, err)
	client, err := ssh.Dial("tcp", spec.Address.String()+":22", &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)},
		HostKeyCallback: ssh.FixedHostKey(pinned), Timeout: 20 * time.Second,
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

// assertGone asserts that path does not exist. assert.NoDirExists would ignore links, such as
// interfaces below /sys/class/net.
func assertGone(t *testing.T, path string) {
	t.Helper()
	_, err := os.Lstat(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func assertNothingLeft(t *testing.T, specs []Spec) {
	t.Helper()
	for _, spec := range specs {
		assert.NoDirExists(t, string(machineDir(spec.Name)))
		assertGone(t, "/sys/class/net/vb-"+spec.Name)
		assert.NoDirExists(t, filepath.Join("/run/systemd/nspawn/propagate", spec.Name))
		for _, pattern := range []string{"/sys/fs/cgroup/strata/", "/sys/fs/cgroup/*/strata/",
			"/sys/fs/cgroup/strata.slice/strata-machine-"} {
			left, err := filepath.Glob(pattern + spec.Name + "*")
			require.NoError(t, err)
			assert.Empty(t, left, "cgroups")
		}
	}
	assertGone(t, "/sys/class/net/"+e2eBridge)
	rules, err := exec.Command("iptables-save").Output()
	require.NoError(t, err)
	assert.NotContains(t, string(rules), "strata:"+e2eBridge)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	assert.NotContains(t, string(mounts), machinesDir()+"/stme2e")
}
