package preflight

import (
	"fmt"
	"strings"

	"strata/health"
	"strata/internal/hypervisor"
)

// judgeVMStorage compares the free space with the space that the machines' disks have yet to
// allocate: a sparse disk may grow to its full size.
func judgeVMStorage(
	specs hypervisor.Specs, s hypervisor.StorageFacts, machines []hypervisor.MachineFacts,
) health.Verdict {
	is := s.Key + " " + s.Name
	need := 0
	for i, spec := range specs {
		if s.Disks {
			need += max(0, spec.DiskGiB-machines[i].DiskGiB)
		}
	}
	stuck := health.Verdict{State: health.Stuck, Hint: "set " + s.Key + " to " + oneThere(s.Others)}
	switch {
	case s.Fault != nil:
		return health.Verdict{State: health.Waiting,
			Message: is + ": " + health.OneLine(s.Fault.Error()),
			Hint:    "see the command's error on the hypervisor"}
	case !s.There:
		stuck.Message = is + ": expected a storage of this name, found none"
	case !s.Active:
		stuck.Message = is + ": expected it active, found it is not"
		stuck.Hint = "on the hypervisor: " + startStorage(specs[0], s.Name)
	case s.Lacks != "":
		stuck.Message = is + ": expected " + s.Lacks
	case float64(need) > s.FreeGiB:
		stuck.Message = fmt.Sprintf("%s: expected %d GiB free for the machines' disks, found %.1f GiB",
			is, need, s.FreeGiB)
		stuck.Hint = "make room on it, set strata:hosts.vm.diskGiB to less, or use another storage"
	default:
		return health.Verdict{State: health.Ready,
			Message: fmt.Sprintf("%d GiB needed, %.1f GiB free", need, s.FreeGiB)}
	}
	return stuck
}

func startStorage(spec hypervisor.Spec, name string) string {
	return spec.OnHypervisor("virsh pool-start "+name,
		"pvesm set "+name+" --disable 0, and see pvesm status")
}

// oneThere returns a hint that lists existing objects to configure instead of a missing one.
func oneThere(names []string) string {
	if len(names) == 0 {
		return "one that is there (there is none that fits)"
	}
	return "one that is there: " + strings.Join(names, ", ")
}

func judgeVMNetwork(n hypervisor.NetworkFacts) health.Verdict {
	is := n.Key + " " + n.Name
	switch {
	case n.Fault != nil:
		return health.Verdict{State: health.Waiting,
			Message: is + ": " + health.OneLine(n.Fault.Error()),
			Hint:    "see the command's error on the hypervisor"}
	case !n.There:
		return health.Verdict{State: health.Stuck,
			Message: is + ": expected it there, found none of this name",
			Hint:    "set " + n.Key + " to " + oneThere(n.Others)}
	case !n.Active && strings.HasSuffix(n.Key, ".network"):
		return health.Verdict{State: health.Stuck,
			Message: is + ": expected it active, found it is not",
			Hint: "on the hypervisor: virsh net-start " + n.Name +
				"; virsh net-autostart " + n.Name}
	case !n.Active:
		return health.Verdict{State: health.Stuck, Message: is + ": expected it up, found it down",
			Hint: "on the hypervisor: ip link set " + n.Name + " up, or ifup " + n.Name}
	}
	return health.Verdict{State: health.Ready, Message: n.Name}
}
