package lifecycle

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/vmtest"
)

// bridges puts an ip command first in this test's PATH. The command knows two bridges, one of them
// down.
func bridges(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	const script = "#!/bin/sh\n[ \"$*\" = '-o link show type bridge' ] || exit 2\n" +
		"echo '3: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500'\necho '4: br1: <BROADCAST,MULTICAST> mtu 1500'\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ip"), []byte(script), 0o700))
	path(t, dir)
}

func TestLibvirtSurveyReportsResources(t *testing.T) {
	dir := newVirsh(t)
	bridges(t)
	spec := vmtest.OnLibvirt()
	survey := Survey(t.Context(), here(t), hypervisor.Specs{spec})
	assert.Equal(t, hypervisor.NodeFacts{CPUs: 8, FreeMiB: 32768, Quorate: true}, survey.Node)
	assert.Equal(t, []hypervisor.StorageFacts{{
		Key: "strata:hosts.libvirt.pool", Name: "default", There: true, Active: true,
		Others: []string{"default", "images"}, FreeGiB: 100, Disks: true,
	}}, survey.Storages)
	assert.Equal(t,
		hypervisor.NetworkFacts{Key: "strata:hosts.libvirt.bridge", Name: "br0", There: true,
			Active: true, Others: []string{"br0", "br1"}}, survey.Network)
	assert.Equal(t, []hypervisor.MachineFacts{{}}, survey.Machines, "the name is free")

	_, err := createMachine(t.Context(), spec, hypervisor.Secrets{HostKey: vmtest.NewKey(t)},
		io.Discard)
	require.NoError(t, err)
	other := spec
	other.Node = "agent-1"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "volumes/strata-dev-agent-1.qcow2"),
		[]byte("7"), 0o600))
	machines := Survey(t.Context(), here(t), hypervisor.Specs{spec, other}).Machines
	assert.Equal(t, hypervisor.MachineFacts{Whole: true, Running: true, CPUs: 2, MemoryMiB: 4096,
		DiskGiB: 20},
		machines[0])
	var foreign *hypervisor.ForeignError
	assert.ErrorAs(t, machines[1].Fault, &foreign, "its volume is there without it")
}

func TestLibvirtSurveyReportsFaults(t *testing.T) {
	dir := newVirsh(t)
	bridges(t)
	say := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	spec := vmtest.OnLibvirt()
	spec.Libvirt.Bridge = "br1"
	say("say-pool-info", "State:          inactive\n")
	say("say-pool-dumpxml", "<pool type='logical'/>")
	say("fail-domcapabilities",
		"error: invalid argument: KVM is not supported by '/usr/bin/qemu-system-x86_64' on this host")
	survey := Survey(t.Context(), here(t), hypervisor.Specs{spec})
	assert.ErrorContains(t, survey.Node.Virtual, "KVM is not supported")
	assert.True(t, survey.Storages[0].There)
	assert.False(t, survey.Storages[0].Active)
	assert.Contains(t, survey.Storages[0].Lacks, "found logical")
	assert.True(t, survey.Network.There)
	assert.False(t, survey.Network.Active)

	spec.Libvirt.Pool, spec.Libvirt.Bridge, spec.Libvirt.Network = "fast", "", "lan"
	survey = Survey(t.Context(), here(t), hypervisor.Specs{spec})
	assert.False(t, survey.Storages[0].There)
	assert.False(t, survey.Network.There)
	assert.NoError(t, errors.Join(survey.Storages[0].Fault, survey.Network.Fault))

	say("fail-nodeinfo", "error: Failed to connect socket to '/var/run/libvirt/libvirt-sock': No such file")
	assert.ErrorContains(t, Survey(t.Context(), here(t), hypervisor.Specs{spec}).Node.Fault,
		"systemctl start libvirtd")
}

func TestLibvirtSurveyReadsNetworkLeases(t *testing.T) {
	dir := newVirsh(t)
	spec := vmtest.OnLibvirt()
	spec.Libvirt.Bridge, spec.Libvirt.Network = "", "default"
	definition := `<network><ip address='10.10.0.1' netmask='255.255.255.0'><dhcp><range start='10.10.0.100' end='10.10.0.199'/>` +
		`<host mac='52:54:00:00:00:AA' name='server-1' ip='10.10.0.11'/></dhcp></ip></network>`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "say-net-dumpxml"),
		[]byte(definition), 0o600))
	network := Survey(t.Context(), here(t), hypervisor.Specs{spec}).Network
	require.NoError(t, network.Fault)
	assert.Equal(t, &hypervisor.DHCPFacts{
		Ranges: [][2]netip.Addr{{netip.MustParseAddr("10.10.0.100"),
			netip.MustParseAddr("10.10.0.199")}},
		Reserved: map[netip.Addr]string{netip.MustParseAddr("10.10.0.11"): "52:54:00:00:00:aa"},
		Leased:   map[netip.Addr]string{netip.MustParseAddr("10.10.0.99"): "52:54:00:00:00:01"},
	}, network.DHCP)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "say-net-info"),
		[]byte("Active:         no\n"), 0o600))
	network = Survey(t.Context(), here(t), hypervisor.Specs{spec}).Network
	assert.True(t, network.There)
	assert.False(t, network.Active)
}

func TestProxmoxSurveyReportsResources(t *testing.T) {
	p, spec := newPVE(t), vmtest.OnPVE()
	survey := Survey(t.Context(), here(t), hypervisor.Specs{spec})
	assert.Equal(t, hypervisor.NodeFacts{Name: "pve", Release: "9.0.3", Quorate: true, CPUs: 8,
		FreeMiB: 65536},
		survey.Node)
	assert.Equal(t, []hypervisor.StorageFacts{
		{Key: "strata:hosts.proxmox.storage", Name: "local-lvm", There: true, Active: true,
			Others: []string{"local-lvm"}, FreeGiB: 98, Disks: true},
		{Key: "strata:hosts.proxmox.seedStorage", Name: "local", There: true, Active: true,
			Others: []string{"local"}, FreeGiB: 10},
	}, survey.Storages)
	assert.Equal(t,
		hypervisor.NetworkFacts{Key: "strata:hosts.proxmox.bridge", Name: "vmbr0", There: true,
			Active: true, Others: []string{"vmbr0"}}, survey.Network)
	assert.NoError(t, survey.Template)
	assert.Equal(t, 2, survey.TemplateGiB)
	assert.Equal(t, []hypervisor.MachineFacts{{}}, survey.Machines)

	_, err := createMachine(t.Context(), spec, hypervisor.Secrets{HostKey: vmtest.NewKey(t)},
		io.Discard)
	require.NoError(t, err)
	half := spec
	half.Node = "half"
	p.guest(105, map[string]string{"name": half.Name(),
		"description": half.Mark(hypervisor.StateMaking).Line()})
	assert.Equal(t,
		[]hypervisor.MachineFacts{{Whole: true, Running: true, CPUs: 2, MemoryMiB: 4096,
			DiskGiB: 20}, {}},
		Survey(t.Context(), here(t), hypervisor.Specs{spec, half}).Machines,
		"what a killed creation left is made anew, so it holds nothing")
}

func TestProxmoxSurveyReportsFaults(t *testing.T) {
	p, spec := newPVE(t), vmtest.OnPVE()
	spec.ID, spec.Proxmox.Template = 100, 100
	p.write("faults.json", map[string]string{
		"quorate": "0", "release": "7.4-3", "bridges": "vmbr0-down vmbr1", "inactive": "local-lvm",
		"content of local": "vztmpl",
	})
	survey := Survey(t.Context(), here(t), hypervisor.Specs{spec})
	assert.False(t, survey.Node.Quorate)
	assert.Equal(t, "7.4-3", survey.Node.Release)
	assert.True(t, survey.Storages[0].There)
	assert.False(t, survey.Storages[0].Active)
	assert.Equal(t, "content type iso, found vztmpl", survey.Storages[1].Lacks)
	assert.True(t, survey.Network.There)
	assert.False(t, survey.Network.Active)
	assert.ErrorContains(t, survey.Template, "no template")
	assert.ErrorContains(t, survey.Machines[0].Fault, "VM number 100 is taken by mail")
}

// busy counts the commands that run at once on a host.
type busy struct {
	hypervisor.Host
	now, most atomic.Int32
}

func (b *busy) Run(
	ctx context.Context, script string, stdin io.Reader, size int64,
) (string, error) {
	for now := b.now.Add(1); ; {
		if most := b.most.Load(); now <= most || b.most.CompareAndSwap(most, now) {
			break
		}
	}
	defer b.now.Add(-1)
	return b.Host.Run(ctx, script, stdin, size)
}

func TestSurveyOfManyMachinesOpensFewSessions(t *testing.T) {
	p := newPVE(t)
	var specs hypervisor.Specs
	for i := range 12 {
		spec := vmtest.OnPVE()
		spec.Node = "node-" + itoa(i)
		p.guest(200+i,
			map[string]string{"name": spec.Name(),
				"description": spec.Mark(hypervisor.StateMade).Line(),
				"scsi0":       "local-lvm:vm-disk-0,size=2G"})
		specs = append(specs, spec)
	}
	host := &busy{Host: here(t)}
	survey := Survey(t.Context(), host, specs)
	for i, machine := range survey.Machines {
		assert.NoError(t, machine.Fault)
		assert.True(t, machine.Whole, specs[i].Node)
	}
	assert.LessOrEqual(t, int(host.most.Load()), sessions)
}
