package preflight

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/host"
	"strata/internal/hypervisor"
)

func proxmoxPlan() VMPlan {
	plan := libvirtPlan()
	plan.Image = nil
	for i := range plan.Specs {
		plan.Specs[i].Driver, plan.Specs[i].Libvirt = "proxmox", nil
		plan.Specs[i].Proxmox = &hypervisor.Proxmox{Storage: "local-lvm", SeedStorage: "local",
			Bridge: "vmbr0", Template: 9000}
		plan.Specs[i].Hypervisor.Name, plan.Specs[i].Hypervisor.Address = "hypervisor", "10.10.0.2"
	}
	return plan
}

func proxmoxHas() vmFindings {
	f := libvirtHas()
	f.Node.Name, f.Node.Release = "pve", "9.0.3"
	f.Storages = []hypervisor.StorageFacts{
		{Key: "strata:hosts.proxmox.storage", Name: "local-lvm", There: true, Active: true,
			Others: []string{"local-lvm"}, FreeGiB: 40, Disks: true},
		{Key: "strata:hosts.proxmox.seedStorage", Name: "local", There: true, Active: true,
			Others: []string{"local"}, FreeGiB: 1},
	}
	f.Network = hypervisor.NetworkFacts{Key: "strata:hosts.proxmox.bridge", Name: "vmbr0",
		There: true, Active: true}
	f.TemplateGiB = 2
	return f
}

func TestPreflightFailsOneCheckForEachProxmoxFault(t *testing.T) {
	for _, test := range []vmCase{
		{"exactly enough resources", func(*VMPlan, *vmFindings) {}, "", nil},
		{"the stack is up", func(_ *VMPlan, f *vmFindings) { held(f) }, "", nil},
		{"a node without quorum", func(_ *VMPlan, f *vmFindings) {
			f.Node.Quorate = false
		}, "node", []string{"node pve", "quorum", "pvecm status"}},
		{"an old release", func(_ *VMPlan, f *vmFindings) {
			f.Node.Release = "7.4-3"
		}, "node", []string{`expected Proxmox VE 8 or later, found "7.4-3"`}},
		{"the oldest supported release",
			func(_ *VMPlan, f *vmFindings) { f.Node.Release = "8.0.2" }, "", nil},
		{"a storage without disks", func(_ *VMPlan, f *vmFindings) {
			f.Storages[0].Lacks = "content type images, found iso"
		}, "storage local-lvm",
			[]string{"strata:hosts.proxmox.storage local-lvm", "content type images"}},
		{"a seed storage without ISO images", func(_ *VMPlan, f *vmFindings) {
			f.Storages[1].Lacks = "content type iso, found vztmpl"
		}, "storage local",
			[]string{"strata:hosts.proxmox.seedStorage local", "content type iso"}},
		{"a storage that is off", func(_ *VMPlan, f *vmFindings) {
			f.Storages[0].Active = false
		}, "storage local-lvm", []string{"pvesm"}},
		{"a bridge that is down", func(_ *VMPlan, f *vmFindings) {
			f.Network.Active = false
		}, "network", []string{"strata:hosts.proxmox.bridge vmbr0", "ip link set vmbr0 up"}},
		{"no template", func(_ *VMPlan, f *vmFindings) {
			f.Template = errors.New("there is no template 9000")
		}, "template", []string{"strata:hosts.proxmox.template 9000"}},
		{"a template larger than the disks", func(_ *VMPlan, f *vmFindings) {
			f.TemplateGiB = 32
		}, "template", []string{"strata:hosts.vm.diskGiB", "32 or more"}},
		{"a number that is taken", func(_ *VMPlan, f *vmFindings) {
			f.Machines[0].Fault = &hypervisor.ForeignError{What: "VM number 100 is taken by mail",
				Fix: "set another strata:hosts.nodes[].vm.id, or none"}
		}, "name server-1", []string{"VM number 100 is taken by mail",
			"strata:hosts.nodes[].vm.id"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan, facts := proxmoxPlan(), proxmoxHas()
			test.change(&plan, &facts)
			judged(t, plan, facts, test)
		})
	}
}

func TestPreflightFailsAllChecksOfSeveralProxmoxFaults(t *testing.T) {
	plan, f := proxmoxPlan(), proxmoxHas()
	f.Node.FreeMiB, f.Network.There, f.TemplateGiB, f.Storages[0].FreeGiB = 1, false, 99, 1
	var failing []string
	for _, v := range judgeHypervisor(plan, f) {
		if !v.Passes() {
			failing = append(failing, v.Check)
		}
	}
	assert.Equal(t, []string{"memory", "storage local-lvm", "network", "template"}, failing)
}

func TestUnreachableHypervisorFailsOneCheckAndDefersTheOthers(t *testing.T) {
	for name, test := range map[string]struct {
		plan  VMPlan
		facts vmFindings
		says  string
	}{
		"no login": {proxmoxPlan(), vmFindings{Fault: errors.New("connection refused")},
			"strata:hosts.hypervisor.address 10.10.0.2: expected a login with its key"},
		"no Proxmox": {proxmoxPlan(),
			vmFindings{Survey: hypervisor.Survey{
				Node: hypervisor.NodeFacts{Fault: errors.New("pvesh: not found")}}},
			"expected a Proxmox VE node"},
		"no libvirt": {libvirtPlan(),
			vmFindings{
				Survey: hypervisor.Survey{
					Node: hypervisor.NodeFacts{Fault: errors.New("Failed to connect socket")}}},
			"strata:hosts.libvirt.uri qemu:///system: expected libvirt to answer"},
	} {
		t.Run(name, func(t *testing.T) {
			verdicts := judgeHypervisor(test.plan, test.facts)
			assert.Equal(t, health.Stuck, verdicts[0].State)
			assert.Contains(t, verdicts[0].Message, test.says)
			assert.NotEmpty(t, verdicts[0].Cause)
			assert.NotEmpty(t, verdicts[0].Hint)
			for _, v := range verdicts[1:] {
				if v.Check != "image" { // the image is not on the hypervisor
					assert.Equal(t, health.Waiting, v.State, v.Check)
					assert.Contains(t, v.After, "hypervisor", v.Check)
				}
			}
		})
	}
}

func TestPreflightDoesNotReportUnprobedAddressesAsFree(t *testing.T) {
	plan, f := proxmoxPlan(), proxmoxHas()
	f.Network.DHCP = nil
	verdict := func(check string) health.Verdict {
		for _, v := range judgeHypervisor(plan, f) {
			if v.Check == check {
				return v
			}
		}
		return health.Verdict{}
	}
	for says, change := range map[string]func(){
		"has no address in 10.10.0.0/24": func() {
			f.Pings = host.Block{"far": {"10.10.0.11", "10.10.0.21"}}
		},
		"lacks ping": func() { f.Pings = host.Block{"lacks": {"ping"}} },
		"timed out":  func() { f.PingsFault = errors.New("timed out") },
	} {
		f.Pings, f.PingsFault = nil, nil
		change()
		assert.Equal(t, health.Skipped, verdict("addresses").State, says)
		assert.Contains(t, verdict("addresses").Message, says)
		assert.Empty(t, verdict("address server-1"), says)
	}
	f.Pings, f.PingsFault = host.Block{"ours": {"x"}}, nil
	assert.Equal(t, health.Ready, verdict("address server-1").State)
	assert.Empty(t, verdict("leases"), "fixed addresses are not leased")
	plan.Specs[0].Guest.DHCP = true
	assert.Equal(t, health.Ready, verdict("leases").State)
	assert.Contains(t, verdict("leases").Hint, "10.10.0.11 for "+plan.Specs[0].MAC(),
		"what to reserve, where the leases cannot be read")
}
