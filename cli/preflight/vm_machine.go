package preflight

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"strata/health"
	"strata/internal/hypervisor"
)

// judgeVMTemplate checks that no configured disk is smaller than the template's: a clone starts at
// that size, and a disk cannot shrink.
func judgeVMTemplate(specs hypervisor.Specs, f vmFindings) health.Verdict {
	id := strconv.Itoa(specs[0].Proxmox.Template)
	if f.Template != nil {
		return health.Verdict{State: health.Stuck,
			Message: "strata:hosts.proxmox.template " + id +
				": expected a template with a disk scsi0, found none",
			Cause: health.OneLine(f.Template.Error()), Hint: "see qm list on the node"}
	}
	return judgeVMSource(specs, "strata:hosts.proxmox.template "+id, float64(f.TemplateGiB))
}

func judgeVMImage(specs hypervisor.Specs, image VMImage) health.Verdict {
	if image.Fault != nil {
		mend := "correct " + image.Key + ", then strata fetch"
		if image.Key != "strata:hosts.vm.image" {
			mend = "assemble the bundle again, or set " + image.Key + " to another"
		}
		return health.Verdict{State: health.Stuck,
			Message: image.Key + " " + image.Value +
				": expected a disk image whose sum is known, found none",
			Cause: health.OneLine(image.Fault.Error()), Hint: mend}
	}
	return judgeVMSource(specs, image.Key+" "+image.Value, image.GiB)
}

// judgeVMSource checks that the image or template of the machines fits on their disks.
func judgeVMSource(specs hypervisor.Specs, source string, size float64) health.Verdict {
	var small []string
	for _, spec := range specs {
		if float64(spec.DiskGiB) < size {
			small = append(small, fmt.Sprintf("%s %d", spec.Node, spec.DiskGiB))
		}
	}
	if len(small) > 0 {
		return health.Verdict{State: health.Stuck,
			Message: fmt.Sprintf(
				"strata:hosts.vm.diskGiB: expected at least %.4g, the disk's size in its source, found: %s", size,
				strings.Join(small, ", ")),
			Cause: "disks cannot shrink, and that of " + source + " is larger",
			Hint: fmt.Sprintf("set it (or the node's vm.diskGiB) to %d or more",
				int(math.Ceil(size)))}
	}
	return health.Verdict{State: health.Ready, Message: source}
}

// judgeVMName checks that a machine's name and number are free, or belong to this stack. place is
// the machine's index in the configuration.
func judgeVMName(place int, m hypervisor.MachineFacts) health.Verdict {
	var other *hypervisor.ForeignError
	switch {
	case errors.As(m.Fault, &other) && other.Unsure:
		return health.Verdict{State: health.Skipped,
			Message: fmt.Sprintf("strata:hosts.nodes[%d]: up compares whose it is; it is marked as %s",
				place, other.Owner)}
	case errors.As(m.Fault, &other):
		return health.Verdict{State: health.Stuck,
			Message: fmt.Sprintf("strata:hosts.nodes[%d]: expected name and number free, found: %s",
				place, other.What),
			Cause: strings.TrimPrefix(other.Owner+
				": this stack did not make it, so it is left alone", ": "),
			Hint: other.Fix}
	case m.Fault != nil:
		return health.Verdict{State: health.Waiting,
			Message: fmt.Sprintf("strata:hosts.nodes[%d]: %s", place,
				health.OneLine(m.Fault.Error())),
			Hint: "see the command's error on the hypervisor"}
	case m.Whole:
		return health.Verdict{State: health.Ready, Message: "this stack's own"}
	}
	return health.Verdict{State: health.Ready, Message: "free"}
}

// judgeVMDisks checks that no existing disk is larger than the configured size, because disks
// cannot shrink.
func judgeVMDisks(specs hypervisor.Specs, machines []hypervisor.MachineFacts) health.Verdict {
	var wrong []string
	for i, m := range machines {
		if m.Whole && m.DiskGiB > specs[i].DiskGiB {
			wrong = append(wrong,
				fmt.Sprintf("%s has %d GiB and is to have %d", specs[i].Node, m.DiskGiB,
					specs[i].DiskGiB))
		}
	}
	if len(wrong) > 0 {
		return health.Verdict{State: health.Stuck,
			Message: "strata:hosts.vm.diskGiB: expected no disk to shrink, found: " +
				strings.Join(wrong, ", "),
			Cause: "file systems cannot",
			Hint: "set it (or the node's vm.diskGiB) to what the machine has, or replace the " +
				"machine: pulumi up --replace with its URN"}
	}
	return health.Verdict{State: health.Ready, Message: "none shrinks"}
}
