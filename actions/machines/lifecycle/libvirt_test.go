package lifecycle

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
	"strata/internal/hypervisor/vmtest"
)

// newVirsh fakes a hypervisor that has an image, and another owner's domain and volume. It returns
// the hypervisor's folder.
func newVirsh(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	script, err := filepath.Abs("testdata")
	require.NoError(t, err)
	path(t, script)
	t.Setenv("VIRSH", dir)
	for name, content := range map[string]string{
		"domains/mail": "<domain/>", "volumes/mail.qcow2": "1",
		"volumes/strata-dev-image-0123456789ab.qcow2": "2147483648",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

// things returns the domains and volumes, except those of the other owner and the image.
func things(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"domains/*", "volumes/*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, file := range files {
			if name := filepath.Base(file); !strings.HasPrefix(name, "mail") &&
				!strings.Contains(name, "image") {
				found = append(found, name)
			}
		}
	}
	return found
}

func TestLibvirtCreatesAndDeletesMachine(t *testing.T) {
	dir := newVirsh(t)
	secrets := hypervisor.Secrets{HostKey: vmtest.NewKey(t)}
	spec := vmtest.OnLibvirt()
	made, err := createMachine(t.Context(), spec, secrets, io.Discard)
	require.NoError(t, err)
	assert.Equal(t,
		hypervisor.Result{Name: "strata-dev-server-1", ID: "uuid-of-strata-dev-server-1",
			MAC: spec.MAC(), Made: spec.FixedProperties()}, made)
	assert.Equal(t, []string{"strata-dev-server-1", "strata-dev-server-1-seed.iso",
		"strata-dev-server-1.qcow2"},
		things(t, dir))
	text, err := os.ReadFile(filepath.Join(dir, "domains/strata-dev-server-1"))
	require.NoError(t, err)
	assert.Contains(t, string(text),
		`<strata:vm xmlns:strata="urn:strata:vm:1" stack="dev" node="server-1" state="made" cluster="cafe" project="strata"/>`)
	assert.NotContains(t, string(text), "PRIVATE KEY")

	spec.DiskGiB = 25
	_, err = createMachine(t.Context(), spec, secrets, io.Discard)
	require.NoError(t, err)
	size, err := os.ReadFile(filepath.Join(dir, "volumes/strata-dev-server-1.qcow2"))
	require.NoError(t, err)
	assert.Equal(t, "26843545600\n", string(size))

	require.NoError(t, deleteMachine(t.Context(), spec, secrets, io.Discard))
	assert.Empty(t, things(t, dir))
	require.NoError(t, deleteMachine(t.Context(), spec, secrets, io.Discard),
		"one that is gone already is no error")
	assert.FileExists(t, filepath.Join(dir, "volumes/mail.qcow2"))
}

func TestLibvirtCleansUpAfterFailedCreate(t *testing.T) {
	for _, test := range []struct {
		name, command, says string
		want                []string
	}{
		{"a full pool", "vol-clone", "error: Failed to clone vol: No space left on device",
			[]string{"the storage is full", "vol-clone", "this machine"}},
		{"a missing bridge", "start",
			"error: Cannot get interface MTU on 'br0': No such device", []string{"no such bridge"}},
		{"a processor without KVM", "start",
			"error: unsupported configuration: Emulator does not support virt type 'kvm'",
			[]string{"strata:hosts.libvirt.type"}},
		{"libvirtd does not run", "list",
			"error: Failed to connect socket to '/var/run/libvirt/libvirt-sock': No such file",
			[]string{"systemctl start libvirtd"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := newVirsh(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "fail-"+test.command),
				[]byte(test.says), 0o600))
			_, err := createMachine(t.Context(), vmtest.OnLibvirt(),
				hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
			require.Error(t, err)
			for _, text := range append(test.want, test.says) {
				assert.ErrorContains(t, err, text)
			}
			assert.Empty(t, things(t, dir))
		})
	}
}

func TestLibvirtRefusesForeignDomainsAndVolumes(t *testing.T) {
	t.Run("a domain", func(t *testing.T) {
		dir := newVirsh(t)
		file := filepath.Join(dir, "domains/strata-dev-server-1")
		for _, owner := range []string{"<domain/>",
			`<domain><metadata><s:vm xmlns:s="urn:strata:vm:1" stack="prod" node="server-1" state="made"/></metadata></domain>`} {
			require.NoError(t, os.WriteFile(file, []byte(owner), 0o600))
			var foreign *hypervisor.ForeignError
			_, err := createMachine(t.Context(), vmtest.OnLibvirt(),
				hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
			require.ErrorAs(t, err, &foreign)
			require.ErrorAs(t, deleteMachine(t.Context(), vmtest.OnLibvirt(), hypervisor.Secrets{},
				io.Discard), &foreign)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, owner, string(text))
		}
	})
	t.Run("a volume", func(t *testing.T) {
		dir := newVirsh(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "volumes/strata-dev-server-1.qcow2"),
			[]byte("7"), 0o600))
		_, err := createMachine(t.Context(), vmtest.OnLibvirt(),
			hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
		var foreign *hypervisor.ForeignError
		require.ErrorAs(t, err, &foreign)
		assert.Equal(t, []string{"strata-dev-server-1.qcow2"}, things(t, dir))
	})
}

func TestLibvirtObserveReportsMachineState(t *testing.T) {
	newVirsh(t)
	spec := vmtest.OnLibvirt()
	spec.Guest.DHCP = true
	facts, err := drivers.New(here(t), spec.AnyOwner()).Observe(t.Context())
	require.NoError(t, err)
	assert.Equal(t, hypervisor.Facts{}, facts, "there is no machine")
	_, err = createMachine(t.Context(), spec, hypervisor.Secrets{HostKey: vmtest.NewKey(t)},
		io.Discard)
	require.NoError(t, err)
	facts, err = drivers.New(here(t), spec.AnyOwner()).Observe(t.Context())
	require.NoError(t, err)
	assert.True(t, facts.Running)
	assert.Empty(t, facts.Addresses, "the lease is another machine's")
	assert.Contains(t, facts.Agent, "not connected")
}

func TestUnreachableHypervisorErrorNamesFix(t *testing.T) {
	spec := vmtest.OnLibvirt()
	spec.Hypervisor.Name = "hypervisor"
	spec.Hypervisor.Address = "127.0.0.1"
	spec.Hypervisor.Port = 1
	spec.Hypervisor.HostKey = vmtest.PublicOf(t, vmtest.NewKey(t))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := deleteMachine(ctx, spec, hypervisor.Secrets{HypervisorKey: vmtest.NewKey(t)}, io.Discard)
	require.Error(t, err)
	for _, text := range []string{"hypervisor (127.0.0.1:1)", "connection refused",
		"strata:hosts.hypervisor", "pulumi state delete"} {
		assert.ErrorContains(t, err, text)
	}
	assert.NotErrorIs(t, err, io.EOF)
}
