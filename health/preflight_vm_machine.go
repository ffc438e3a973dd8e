package health

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"strata/internal/vm"
)

// judgeVMTemplate: a clone is as large as its template, and disks cannot shrink.
func judgeVMTemplate(specs vm.Specs, f vmFindings) Verdict {
	id := strconv.Itoa(specs[0].Proxmox.Template)
	if f.Template != nil {
		return Verdict{State: Stuck, Message: "strata:hosts.proxmox.template " + id + ": " + oneLine(f.Template.Error()), Hint: "see qm list on the node"}
	}
	return judgeVMSource(specs, "strata:hosts.proxmox.template "+id, float64(f.TemplateGiB))
}

func judgeVMImage(specs vm.Specs, image VMImage) Verdict {
	if image.Fault != nil {
		return Verdict{State: Stuck, Message: image.Key + " " + image.Value + ": " + oneLine(image.Fault.Error()),
			Hint: "correct " + image.Key + ", then strata fetch"}
	}
	return judgeVMSource(specs, image.Key+" "+image.Value, image.GiB)
}

// judgeVMSource: what a machine starts from fits on its disk.
func judgeVMSource(specs vm.Specs, source string, size float64) Verdict {
	var small []string
	for _, spec := range specs {
		if float64(spec.DiskGiB) < size {
			small = append(small, fmt.Sprintf("%s asks for %d", spec.Node, spec.DiskGiB))
		}
	}
	if len(small) > 0 {
		return Verdict{State: Stuck, Message: fmt.Sprintf("strata:hosts.vm.diskGiB: expected at least the %.4g GiB of the disk in %s, found: %s", size, source, strings.Join(small, ", ")),
			Cause: "disks cannot shrink", Hint: fmt.Sprintf("set it (or the node's vm.diskGiB) to %d or more", int(math.Ceil(size)))}
	}
	return Verdict{State: Ready, Message: source}
}

// judgeVMNames: what has a machine's name or number is this stack's own, or not there.
func judgeVMNames(specs vm.Specs, machines []vm.MachineFacts) Verdict {
	var foreign, unseen, fixes []string
	own := 0
	for i, m := range machines {
		var other *vm.ForeignError
		switch {
		case errors.As(m.Fault, &other):
			foreign, fixes = append(foreign, specs[i].Node+": "+other.What), append(fixes, specs[i].Node+": "+other.Fix)
		case m.Fault != nil:
			unseen = append(unseen, specs[i].Node+": "+oneLine(m.Fault.Error()))
		case m.Whole:
			own++
		}
	}
	switch {
	case len(foreign) > 0:
		return Verdict{State: Stuck, Message: "strata:hosts.nodes: expected names and numbers that are free or this stack's, found others': " + strings.Join(append(foreign, unseen...), "; "),
			Cause: "this stack did not make them, so they are left alone", Hint: strings.Join(fixes, "; ")}
	case len(unseen) > 0:
		return Verdict{State: Waiting, Message: "strata:hosts.nodes: " + strings.Join(unseen, "; "), Hint: "see the command's error on the hypervisor"}
	}
	return Verdict{State: Ready, Message: fmt.Sprintf("%d free, %d this stack's own", len(machines)-own, own)}
}

// judgeVMDisks: a machine that is there keeps its disk, which can grow only.
func judgeVMDisks(specs vm.Specs, machines []vm.MachineFacts) Verdict {
	var wrong []string
	for i, m := range machines {
		if m.Whole && m.DiskGiB > specs[i].DiskGiB {
			wrong = append(wrong, fmt.Sprintf("%s has %d GiB and is to have %d", specs[i].Node, m.DiskGiB, specs[i].DiskGiB))
		}
	}
	if len(wrong) > 0 {
		return Verdict{State: Stuck, Message: "strata:hosts.vm.diskGiB: expected no disk to shrink, found: " + strings.Join(wrong, ", "),
			Cause: "file systems cannot", Hint: "set it (or the node's vm.diskGiB) to what the machine has, or replace the machine: pulumi up --replace with its URN"}
	}
	return Verdict{State: Ready, Message: "none shrinks"}
}
