package preflight

import (
	"fmt"
	"strconv"
	"strings"

	"strata/health"
	"strata/internal/hypervisor"
)

// hypervisorCheck is the name of the check that the hypervisor can be reached. If it fails, all
// other checks of the hypervisor wait, except the image's.
const hypervisorCheck = "hypervisor"

// leastRelease is the oldest major release of Proxmox VE that has every command that Strata runs.
const leastRelease = 8

// judgeHypervisor returns the preflight's verdicts on the hypervisor. They also pass when the
// stack's machines exist already.
func judgeHypervisor(plan VMPlan, f vmFindings) []health.Verdict {
	if len(f.Machines) == 0 { // The hypervisor was not reached.
		f.Machines = make([]hypervisor.MachineFacts, len(plan.Specs))
	}
	first := judgeReached(plan, f)
	verdicts := []health.Verdict{first}
	add := func(check string, v health.Verdict) {
		if first.State != health.Ready {
			v = health.Verdict{State: health.Waiting, Message: "not seen"}
		}
		v.Check, v.After = check, append(v.After, hypervisorCheck)
		verdicts = append(verdicts, v)
	}
	if plan.Specs[0].Driver == "proxmox" {
		add("node", judgeVMNode(f.Node))
	} else {
		add("virtualisation", judgeVMVirtual(plan.Specs[0], f.Node))
	}
	add("processors", judgeVMProcessors(plan.Specs, f))
	add("memory", judgeVMMemory(plan.Specs, f))
	behind := []string{}
	for _, storage := range f.Storages {
		behind = append(behind, "storage "+storage.Name)
		add("storage "+storage.Name, judgeVMStorage(plan.Specs, storage, f.Machines))
	}
	add("network", judgeVMNetwork(f.Network))
	if plan.Image != nil {
		image := judgeVMImage(plan.Specs, *plan.Image)
		// The check of the image needs no hypervisor.
		image.Check = "image"
		verdicts = append(verdicts, image)
	} else {
		add("template", judgeVMTemplate(plan.Specs, f))
	}
	for i, spec := range plan.Specs {
		name := judgeVMName(i, f.Machines[i])
		name.After = behind
		add("name "+spec.Node, name)
	}
	add("disks", judgeVMDisks(plan.Specs, f.Machines))
	if silent := explainUnasked(plan.Specs, f); silent != "" && f.Network.DHCP == nil {
		add("addresses", health.Verdict{State: health.Skipped, Message: silent})
	} else {
		for i, spec := range plan.Specs {
			add("address "+spec.Node, judgeVMAddress(i, spec, f))
		}
	}
	if f.Network.DHCP == nil && plan.Specs[0].Guest.DHCP {
		add("leases",
			health.Verdict{State: health.Ready,
				Message: "the network's own DHCP server gives the addresses, and is not seen from here",
				Hint:    "reserve there: " + strings.Join(reservations(plan.Specs), ", ")})
	}
	return verdicts
}

// judgeReached checks that the login works, that commands run as root, and that the hypervisor's
// service answers.
func judgeReached(plan VMPlan, f vmFindings) health.Verdict {
	at := plan.Specs[0].Hypervisor
	v := health.Verdict{Check: hypervisorCheck, State: health.Ready, Message: "answers"}
	switch {
	case f.Fault != nil:
		v.State, v.Message = health.Stuck,
			"strata:hosts.hypervisor.address "+at.Address+
				": expected a login with its key, found none"
		v.Cause = health.OneLine(f.Fault.Error())
		v.Hint = "switch it on, or correct strata:hosts.hypervisor"
	case f.Node.Fault != nil && plan.Specs[0].Driver == "proxmox":
		v.State = health.Stuck
		v.Message = "strata:hosts.hypervisor.address " + at.Address + ": expected a Proxmox VE node, found none"
		v.Cause = health.OneLine(f.Node.Fault.Error())
		v.Hint = "set it to a node of Proxmox VE, and see there: systemctl status pvedaemon pve-cluster"
	case f.Node.Fault != nil:
		v.State, v.Message = health.Stuck,
			"strata:hosts.libvirt.uri "+plan.Specs[0].Libvirt.URI+
				": expected libvirt to answer, found that it does not"
		v.Cause = health.OneLine(f.Node.Fault.Error())
		v.Hint = "on it: apt-get install libvirt-daemon-system libvirt-clients; systemctl start libvirtd"
	}
	return v
}

// judgeVMNode checks the Proxmox VE node. The driver runs its commands on this node as root@pam, so
// permissions need no check. A node without its cluster's quorum refuses every change.
func judgeVMNode(node hypervisor.NodeFacts) health.Verdict {
	major, _, _ := strings.Cut(node.Release, ".")
	number, err := strconv.Atoi(major)
	switch {
	case !node.Quorate:
		return health.Verdict{State: health.Stuck,
			Message: "node " + node.Name + ": expected a cluster with quorum, found none",
			Cause:   "without the majority of its nodes nothing can be made or changed",
			Hint:    "start the other nodes, and see: pvecm status"}
	case err != nil || number < leastRelease:
		return health.Verdict{State: health.Stuck,
			Message: fmt.Sprintf("node %s: expected Proxmox VE %d or later, found %q", node.Name,
				leastRelease, node.Release),
			Hint: "upgrade it, or set strata:hosts.hypervisor.address to another node"}
	}
	return health.Verdict{State: health.Ready,
		Message: "node " + node.Name + ", Proxmox VE " + node.Release}
}

func judgeVMVirtual(spec hypervisor.Spec, node hypervisor.NodeFacts) health.Verdict {
	if node.Virtual == nil {
		return health.Verdict{State: health.Ready,
			Message: spec.Libvirt.Type + " for " + spec.Libvirt.Arch}
	}
	return health.Verdict{State: health.Stuck,
		Message: fmt.Sprintf("strata:hosts.libvirt.type %s: expected machines of it for %s, found none possible",
			spec.Libvirt.Type, spec.Libvirt.Arch),
		Cause: health.OneLine(node.Virtual.Error()),
		Hint: "switch virtualisation on in the firmware, install QEMU for " + spec.Libvirt.Arch +
			", or set strata:hosts.libvirt.type to qemu"}
}

// judgeVMProcessors checks that no machine has more processors than the hypervisor. The sum of all
// machines may be larger, which only makes the machines slower.
func judgeVMProcessors(specs hypervisor.Specs, f vmFindings) health.Verdict {
	var wrong []string
	total := 0
	for _, spec := range specs {
		total += spec.CPUs
		if spec.CPUs > f.Node.CPUs {
			wrong = append(wrong, fmt.Sprintf("%s %d", spec.Node, spec.CPUs))
		}
	}
	found := strconv.Itoa(f.Node.CPUs)
	switch {
	case len(wrong) > 0:
		return health.Verdict{State: health.Stuck,
			Message: "strata:hosts.vm.cpus: expected at most the hypervisor's " + found +
				" for each machine, found: " + strings.Join(wrong, ", "),
			Hint: "set strata:hosts.vm.cpus (or the node's vm.cpus) to " + found + " or less"}
	case total > f.Node.CPUs:
		return health.Verdict{State: health.Ready,
			Message: fmt.Sprintf("%d asked for by all machines, %s there: they share",
				total, found),
			Hint: "when they are slow: fewer processors in strata:hosts.vm.cpus, or another hypervisor"}
	}
	return health.Verdict{State: health.Ready, Message: fmt.Sprintf("%d of %s", total, found)}
}

// judgeVMMemory compares the free memory with the memory that the machines have yet to allocate.
func judgeVMMemory(specs hypervisor.Specs, f vmFindings) health.Verdict {
	need := 0
	for i, spec := range specs {
		held := 0
		if have := f.Machines[i]; have.Running {
			held = have.MemoryMiB
		}
		need += max(0, spec.MemoryMiB-held)
	}
	if need > f.Node.FreeMiB {
		return health.Verdict{State: health.Stuck,
			Message: fmt.Sprintf("strata:hosts.vm.memoryMiB: expected %d MiB free for the machines, found %d MiB",
				need, f.Node.FreeMiB),
			Hint: "set it (or a node's vm.memoryMiB) to less, stop other machines, or use another hypervisor"}
	}
	return health.Verdict{State: health.Ready,
		Message: fmt.Sprintf("%d MiB needed, %d MiB free", need, f.Node.FreeMiB)}
}
