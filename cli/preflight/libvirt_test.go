package preflight

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/host"
	"strata/internal/hypervisor"
)

// libvirtPlan returns a plan of two machines on a network of libvirt.
func libvirtPlan() VMPlan {
	machine := func(node, address string) hypervisor.Spec {
		return hypervisor.Spec{
			Driver: "libvirt", Stack: "dev", Node: node, CPUs: 2, MemoryMiB: 4096, DiskGiB: 20,
			Guest: hypervisor.Guest{Address: netip.MustParsePrefix(address + "/24")},
			Libvirt: &hypervisor.Libvirt{URI: "qemu:///system", Pool: "default", Network: "lan",
				Type: "kvm", Arch: "amd64"},
		}
	}
	return VMPlan{
		Specs: hypervisor.Specs{machine("server-1", "10.10.0.11"), machine("agent-1", "10.10.0.21")},
		Image: &VMImage{Key: "strata:hosts.vm.image", Value: "https://example.org/debian.qcow2", GiB: 2},
	}
}

// libvirtHas returns the facts of a hypervisor with exactly enough resources for libvirtPlan.
func libvirtHas() vmFindings {
	return vmFindings{Survey: hypervisor.Survey{
		Node: hypervisor.NodeFacts{CPUs: 4, FreeMiB: 8192, Quorate: true},
		Storages: []hypervisor.StorageFacts{{Key: "strata:hosts.libvirt.pool", Name: "default",
			There: true, Active: true, Others: []string{"default", "images"}, FreeGiB: 40,
			Disks: true}},
		Network: hypervisor.NetworkFacts{Key: "strata:hosts.libvirt.network", Name: "lan",
			There: true, Active: true, DHCP: &hypervisor.DHCPFacts{}},
		Machines: make([]hypervisor.MachineFacts, 2),
	}}
}

// held makes both machines exist and run, and leaves the hypervisor almost no free memory or disk.
func held(f *vmFindings) {
	for i := range f.Machines {
		f.Machines[i] = hypervisor.MachineFacts{Whole: true, Running: true, CPUs: 2, MemoryMiB: 4096, DiskGiB: 20}
	}
	f.Node.FreeMiB, f.Storages[0].FreeGiB = 10, 0.5
}

// vmCase is a test case that changes one property of a plan or hypervisor without faults.
type vmCase struct {
	name   string
	change func(*VMPlan, *vmFindings)
	check  string // the only failing check; empty if all pass
	says   []string
}

func judged(t *testing.T, plan VMPlan, f vmFindings, test vmCase) {
	t.Helper()
	failing := map[string]health.Verdict{}
	for _, v := range judgeHypervisor(plan, f) {
		assert.NotEmpty(t, v.Check)
		if !v.Passes() {
			failing[v.Check] = v
		}
	}
	if test.check == "" {
		assert.Empty(t, failing)
		return
	}
	assert.Len(t, failing, 1, "one cause, not its consequences")
	v := failing[test.check]
	assert.NotEmpty(t, v.Hint, "every failure says what to do")
	if strings.HasSuffix(test.name, " cannot be asked") {
		assert.Equal(t, health.Waiting, v.State, "the next run may be able to ask")
	} else {
		assert.Equal(t, health.Stuck, v.State)
	}
	for _, text := range test.says {
		assert.Contains(t, v.Message+" | "+v.Cause+" | "+v.Hint, text)
	}
}

func TestPreflightFailsOneCheckForEachLibvirtFault(t *testing.T) { //nolint:funlen // a table of cases
	addr := netip.MustParseAddr("10.10.0.11")
	mac := libvirtPlan().Specs[0].MAC()
	for _, test := range []vmCase{
		{"exactly enough resources", func(*VMPlan, *vmFindings) {}, "", nil},
		{"the stack is up: its machines hold their memory and disks",
			func(_ *VMPlan, f *vmFindings) { held(f) }, "", nil},
		{"the stack is up: its machines answer, and have their leases", func(p *VMPlan, f *vmFindings) {
			held(f)
			f.Network.DHCP.Leased = map[netip.Addr]string{addr: mac}
			f.Pings = host.Block{"answers": {"10.10.0.11 " + mac, "10.10.0.21 " + p.Specs[1].MAC()}}
		}, "", nil},
		{"no hardware virtualisation",
			func(_ *VMPlan, f *vmFindings) { f.Node.Virtual = errors.New("KVM is not supported") },
			"virtualisation",
			[]string{"strata:hosts.libvirt.type kvm", "KVM is not supported", "qemu"}},
		{"a machine with more processors than there are",
			func(p *VMPlan, _ *vmFindings) { p.Specs[1].CPUs = 5 }, "processors",
			[]string{"agent-1 5", "at most the hypervisor's 4"}},
		{"little memory", func(_ *VMPlan, f *vmFindings) { f.Node.FreeMiB = 8191 }, "memory",
			[]string{"strata:hosts.vm.memoryMiB: expected 8192 MiB free", "found 8191 MiB"}},
		{"a machine is to have more memory than is left",
			func(p *VMPlan, f *vmFindings) { held(f); p.Specs[0].MemoryMiB = 4107 }, "memory",
			[]string{"expected 11 MiB", "found 10 MiB"}},
		{"a machine that is off gets its memory anew",
			func(_ *VMPlan, f *vmFindings) { held(f); f.Machines[0].Running = false }, "memory",
			[]string{"expected 4096 MiB"}},
		{"no such pool", func(_ *VMPlan, f *vmFindings) { f.Storages[0].There = false },
			"storage default", []string{"strata:hosts.libvirt.pool default", "default, images"}},
		{"the pool is off", func(_ *VMPlan, f *vmFindings) { f.Storages[0].Active = false },
			"storage default", []string{"virsh pool-start default"}},
		{"the pool holds no files",
			func(_ *VMPlan, f *vmFindings) {
				f.Storages[0].Lacks = "a pool of type dir, found " +
					"logical"
			}, "storage default", []string{"expected a pool of type dir, found logical"}},
		{"little room", func(_ *VMPlan, f *vmFindings) { f.Storages[0].FreeGiB = 39.9 },
			"storage default", []string{"expected 40 GiB free", "found 39.9 GiB"}},
		{"a disk is to grow beyond the room",
			func(p *VMPlan, f *vmFindings) { held(f); p.Specs[0].DiskGiB = 21 }, "storage default",
			[]string{"expected 1 GiB"}},
		{"the pool cannot be asked",
			func(_ *VMPlan, f *vmFindings) { f.Storages[0].Fault = errors.New("timed out") },
			"storage default", []string{"timed out"}},
		{"no such network", func(_ *VMPlan, f *vmFindings) {
			f.Network.There, f.Network.Others = false, []string{"default"}
		}, "network", []string{"strata:hosts.libvirt.network lan", "default"}},
		{"the network is off", func(_ *VMPlan, f *vmFindings) { f.Network.Active = false },
			"network", []string{"virsh net-start lan"}},
		{"the network cannot be asked",
			func(_ *VMPlan, f *vmFindings) { f.Network.Fault = errors.New("timed out") }, "network",
			[]string{"timed out"}},
		{"a machine with every processor that there is",
			func(p *VMPlan, _ *vmFindings) { p.Specs[1].CPUs = 4 }, "", nil},
		{"an image as large as the disks", func(p *VMPlan, _ *vmFindings) { p.Image.GiB = 20 }, "", nil},
		{"no image", func(p *VMPlan, _ *vmFindings) {
			p.Image.Fault = errors.New("strata.lock has no sum for it")
		}, "image", []string{"strata:hosts.vm.image https://example.org/debian.qcow2", "no sum",
			"strata fetch"}},
		{"an image larger than the disks", func(p *VMPlan, _ *vmFindings) { p.Image.GiB = 20.5 },
			"image", []string{"strata:hosts.vm.diskGiB", "expected at least 20.5", "agent-1 20",
				"21 or more"}},
		{"another stack's domain", func(_ *VMPlan, f *vmFindings) {
			f.Machines[1].Fault = &hypervisor.ForeignError{What: "there is a domain " +
				"strata-dev-agent-1", Fix: "rename the node"}
		}, "name agent-1", []string{"strata:hosts.nodes[1]", "found: there is a domain", "rename the node"}},
		{"a domain that cannot be asked",
			func(_ *VMPlan, f *vmFindings) { f.Machines[0].Fault = errors.New("timed out") },
			"name server-1", []string{"strata:hosts.nodes[0]: timed out"}},
		{"a disk that would shrink",
			func(p *VMPlan, f *vmFindings) { held(f); p.Specs[0].DiskGiB = 19 }, "disks",
			[]string{"server-1 has 20 GiB and is to have 19"}},
		{"an address that is leased to others", func(_ *VMPlan, f *vmFindings) {
			f.Network.DHCP.Leased = map[netip.Addr]string{addr: "52:54:00:00:00:01"}
		}, "address server-1", []string{"strata:hosts.nodes[0].address 10.10.0.11: ",
			"found leased to 52:54:00:00:00:01"}},
		{"an address that is reserved for others", func(_ *VMPlan, f *vmFindings) {
			f.Network.DHCP.Reserved = map[netip.Addr]string{addr: "52:54:00:00:00:01"}
		}, "address server-1", []string{"found reserved for 52:54:00:00:00:01", "virsh net-edit lan"}},
		{"an address that no DHCP server can give",
			func(p *VMPlan, _ *vmFindings) { p.Specs[0].Guest.DHCP = true }, "address server-1",
			[]string{"expected a reservation for " + mac, "<host mac='" + mac + "' ip='10.10.0.11'/>"}},
		{"an address that the DHCP server has for the machine", func(p *VMPlan, f *vmFindings) {
			p.Specs[0].Guest.DHCP = true
			f.Network.DHCP.Reserved = map[netip.Addr]string{addr: mac}
		}, "", nil},
		{"an address that the DHCP server may give to others", func(_ *VMPlan, f *vmFindings) {
			f.Network.DHCP.Ranges = [][2]netip.Addr{{netip.MustParseAddr("10.10.0.2"),
				netip.MustParseAddr("10.10.0.254")}}
		}, "", nil},
		{"an address that something else answers for", func(_ *VMPlan, f *vmFindings) {
			f.Pings = host.Block{"answers": {"10.10.0.21 00:11:22:33:44:55"}}
		}, "address agent-1", []string{"strata:hosts.nodes[1].address 10.10.0.21: ", "answered by 00:11:22:33:44:55"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan, facts := libvirtPlan(), libvirtHas()
			test.change(&plan, &facts)
			judged(t, plan, facts, test)
		})
	}
}
