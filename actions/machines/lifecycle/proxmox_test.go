package lifecycle

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
	"strata/internal/hypervisor/vmtest"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestProxmoxCreatesUpdatesAndDeletesMachine(t *testing.T) {
	p, secrets := newPVE(t), hypervisor.Secrets{HostKey: vmtest.NewKey(t)}
	spec := vmtest.OnPVE()
	made, err := createMachine(t.Context(), spec, secrets, io.Discard)
	require.NoError(t, err)
	id, _ := strconv.Atoi(made.ID)
	config := p.read(id)
	assert.Equal(t, "strata-dev-server-1", config["name"])
	assert.Equal(t, "strata stack=dev node=server-1 state=made cluster=cafe project=strata",
		config["description"])
	assert.Equal(t, "strata", config["tags"])
	assert.Equal(t, "2", config["cores"])
	assert.Contains(t, config["scsi0"], "size=20G")
	assert.Equal(t, "virtio="+spec.MAC()+",bridge=vmbr0,tag=7", config["net0"])
	assert.Empty(t, config["template"])
	assert.Equal(t, "local:iso/strata-dev-server-1-seed.iso,media=cdrom", config["scsi30"])
	assert.Empty(t, config["ide2"], "the template's own seed would be found first")
	seed := filepath.Join(p.dir, "local/template/iso/strata-dev-server-1-seed.iso")
	info, err := os.Stat(seed)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it has the host key")

	again, err := createMachine(t.Context(), spec, secrets, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, made, again, "a second creation changes nothing")

	spec.DiskGiB = 30
	_, err = createMachine(t.Context(), spec, secrets, io.Discard)
	require.NoError(t, err)
	assert.Contains(t, p.read(id)["scsi0"], "size=30G")
	spec.DiskGiB = 10
	_, err = createMachine(t.Context(), spec, secrets, io.Discard)
	require.ErrorContains(t, err, "cannot shrink")

	require.NoError(t, deleteMachine(t.Context(), spec, secrets, io.Discard))
	assert.Nil(t, p.read(id))
	assert.NoFileExists(t, seed)
	assert.NotNil(t, p.read(100), "another owner's is left alone")
	assert.NotNil(t, p.read(9000), "the template stays")
	require.NoError(t, deleteMachine(t.Context(), spec, secrets, io.Discard),
		"one that is gone already is no error")
}

// A missing machine is not recreated without consent. The new machine would be empty, and the old
// workload would not run again.
func TestMissingMachineIsNotRecreatedWithoutConsent(t *testing.T) {
	p, secrets := newPVE(t), hypervisor.Secrets{HostKey: vmtest.NewKey(t)}
	spec := vmtest.OnPVE()
	before := p.names()
	_, err := updateMachine(t.Context(), spec, hypervisor.Result{}, secrets, io.Discard)
	require.ErrorContains(t, err, "there is no machine strata-dev-server-1 any more")
	require.ErrorContains(t, err, "recreate: A-NEW-WORD")
	assert.Equal(t, before, p.names())

	made, err := createMachine(t.Context(), spec, secrets, io.Discard)
	require.NoError(t, err)
	spec.Hypervisor.User = "admin" // only the login at the hypervisor changes
	again, err := updateMachine(t.Context(), spec, made, secrets, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, made, again)
	spec.Proxmox.Storage = "ceph"
	_, err = updateMachine(t.Context(), spec, made, secrets, io.Discard)
	require.ErrorContains(t, err, "strata:hosts.proxmox.storage: server-1 was made with "+
		"local-lvm, and ceph is asked for")
}

func TestProxmoxCleansUpAfterFailedCreate(t *testing.T) {
	for _, test := range []struct {
		name   string
		before func(*pve, *hypervisor.Spec)
		says   []string
	}{
		{"a missing template", func(_ *pve, s *hypervisor.Spec) {
			s.Proxmox.Template = 9001
		}, []string{"no template 9001", "strata:hosts.proxmox.template"}},
		{"a VM that is no template", func(_ *pve, s *hypervisor.Spec) {
			s.Proxmox.Template = 100
		}, []string{"VM 100 (mail) is no template", "qm template 100"}},
		{"a full storage", func(p *pve, _ *hypervisor.Spec) {
			p.write("storage.json", map[string]int{"local-lvm": 3, "local": 10})
		},
			[]string{"No space left on device", "the storage is full", "qm clone 9000"}},
		{"a storage that is full once the disk grows", func(p *pve, _ *hypervisor.Spec) {
			p.write("storage.json", map[string]int{"local-lvm": 10, "local": 10})
		},
			[]string{"No space left on device", "qm disk resize"}},
		{"a missing storage", func(_ *pve, s *hypervisor.Spec) {
			s.Proxmox.Storage = "fast"
		}, []string{"storage 'fast' does not exist"}},
		{"a VM ID that is taken", func(_ *pve, s *hypervisor.Spec) {
			s.ID = 100
		}, []string{"VM number 100 is taken by mail", "strata:hosts.nodes[].vm.id"}},
		{"another owner's machine with the name", func(p *pve, _ *hypervisor.Spec) {
			p.guest(101, map[string]string{"name": "strata-dev-server-1"})
		},
			[]string{"VM 101 is called strata-dev-server-1", "did not make", "left alone"}},
		{"another stack's machine", func(p *pve, _ *hypervisor.Spec) {
			p.guest(101,
				map[string]string{"name": "strata-dev-server-1",
					"description": "strata stack=prod node=server-1 state=made"})
		}, []string{"did not make", "left alone"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, spec := newPVE(t), vmtest.OnPVE()
			test.before(p, &spec)
			before := p.names()
			_, err := createMachine(t.Context(), spec,
				hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
			require.Error(t, err)
			for _, text := range test.says {
				assert.ErrorContains(t, err, text)
			}
			assert.Equal(t, before, p.names(), "nothing is left, nothing is gone")
			assert.NotContains(t, err.Error(), "PRIVATE KEY")
		})
	}
}

// names returns the guests and seeds of the node.
func (p *pve) names() []string {
	p.t.Helper()
	guests, err := filepath.Glob(filepath.Join(p.dir, "guests/*"))
	require.NoError(p.t, err)
	seeds, err := filepath.Glob(filepath.Join(p.dir, "local/template/iso/*"))
	require.NoError(p.t, err)
	return append(guests, seeds...)
}

func TestProxmoxUsesNextVMIDWhenFirstIsTaken(t *testing.T) {
	p, spec := newPVE(t), vmtest.OnPVE()
	p.write("faults.json", map[string]string{"nextid": "100"})
	made, err := createMachine(t.Context(), spec, hypervisor.Secrets{HostKey: vmtest.NewKey(t)},
		io.Discard)
	require.NoError(t, err)
	assert.NotEqual(t, "100", made.ID)
	assert.Equal(t, "mail", p.read(100)["name"])
}

func TestConcurrentCreatesGetDistinctVMIDs(t *testing.T) {
	newPVE(t)
	key := vmtest.NewKey(t)
	ids := make([]string, 5)
	errs := make([]error, len(ids))
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			spec := vmtest.OnPVE()
			spec.Node, spec.DiskGiB = "node-"+itoa(i), 4
			made, err := createMachine(t.Context(), spec, hypervisor.Secrets{HostKey: key},
				io.Discard)
			ids[i], errs[i] = made.ID, err
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for i, id := range ids {
		require.NoError(t, errs[i])
		assert.False(t, seen[id], "two machines are %s", id)
		seen[id] = true
	}
}

func TestCreateReplacesPartialMachineOfKilledCreate(t *testing.T) {
	p, spec := newPVE(t), vmtest.OnPVE()
	p.guest(105, map[string]string{"name": spec.Name(),
		"description": spec.Mark(hypervisor.StateMaking).Line()})
	var log bytes.Buffer
	made, err := createMachine(t.Context(), spec,
		hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, &log)
	require.NoError(t, err)
	assert.Contains(t, log.String(), "left of it (making)")
	id, _ := strconv.Atoi(made.ID)
	assert.Contains(t, p.read(id)["description"], "state=made")
}

func TestProxmoxObserveReportsMachineState(t *testing.T) {
	p, spec := newPVE(t), vmtest.OnPVE()
	spec.Guest.DHCP = true
	_, err := createMachine(t.Context(), spec, hypervisor.Secrets{HostKey: vmtest.NewKey(t)},
		io.Discard)
	require.NoError(t, err)
	observed := func(faults map[string]string) hypervisor.Facts {
		p.write("faults.json", faults)
		facts, err := drivers.New(here(t), spec.AnyOwner()).Observe(t.Context())
		require.NoError(t, err)
		return facts
	}
	assert.Equal(t, []string{"10.10.0.11"},
		observed(map[string]string{"address": "10.10.0.11"}).Addresses)
	assert.Contains(t, observed(map[string]string{"agent": "missing"}).Agent,
		"QEMU guest agent is not running")
	stands := observed(map[string]string{"qmpstatus": "io-error"})
	assert.False(t, stands.Running)
	assert.Equal(t, "io-error", stands.Power)
}
