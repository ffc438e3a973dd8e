package vm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"strata/health"
	"strata/internal/hypervisor"
)

// vmFacts describes one virtual machine, as seen from its hypervisor and this machine.
type vmFacts struct {
	// Fault says why the hypervisor could not be reached. Everything else is empty then.
	Fault error `json:"-"`
	// Seen is false before the first observation.
	Seen bool `json:"seen"`
	hypervisor.Facts
	// Answers is true if an SSH server answers at the machine's address and port.
	Answers bool `json:"answers,omitempty"`
}

// judgeVM returns the verdicts on a virtual machine. The checks also pass on every later run.
func judgeVM(spec hypervisor.Spec, f vmFacts) []health.Verdict {
	const answering, power = "hypervisor", "power"
	first := health.Verdict{Check: answering, State: health.Ready, Message: "answers"}
	var foreign *hypervisor.ForeignError
	switch {
	case errors.As(f.Fault, &foreign):
		first.State = health.Stuck
		first.Message = health.OneLine(f.Fault.Error())
		first.Hint = foreign.Fix
	case f.Fault != nil:
		first.State, first.Message = health.Waiting, health.OneLine(f.Fault.Error())
		first.Hint = "see that it is on and reachable: strata:hosts.hypervisor"
	case !f.Seen:
		first.State, first.Message = health.Waiting, "not asked yet"
	}
	second := health.Verdict{State: health.Waiting, Message: "not seen"}
	third := health.Verdict{State: health.Waiting, Message: "not seen"}
	if f.Seen {
		second, third = judgePower(spec, f), judgeAddressOf(spec, f)
	}
	second.Check, second.After = power, []string{answering}
	third.Check, third.After = "address", []string{answering, power}
	return []health.Verdict{first, second, third}
}

func judgePower(spec hypervisor.Spec, f vmFacts) health.Verdict {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words,
			func(word string) bool { return strings.Contains(f.Power, word) })
	}
	v := health.Verdict{State: health.Stuck, Message: "expected running, found " + f.Power,
		Evidence: console(f)}
	switch {
	case !f.Exists:
		v.Message = "expected a machine called " + spec.Name() + ", found none"
		v.Cause = "it was removed by hand"
		v.Hint = "make it anew: pulumi up --replace with the URN of the node's -vm resource"
	case f.Running:
		return health.Verdict{State: health.Ready, Message: "running"}
	case has("I/O error", "io-error"):
		v.Cause = "its storage is full or fails: the machine stands still until it can write"
		v.Hint = "make room on the storage, then on the hypervisor: " +
			spec.OnHypervisor("virsh resume "+spec.Name(), "qm resume with the VM's number")
	case has("crashed", "panicked", "guest-panicked", "internal-error", "failed"):
		v.Cause = "the guest's kernel or the emulator ended"
		v.Hint = "see the console; " + spec.OnHypervisor("virsh start "+spec.Name()+
			" on the hypervisor", "qm start with the VM's number on the node")
	default:
		v.State, v.Hint = health.Waiting,
			"on the hypervisor: "+spec.OnHypervisor("virsh start "+spec.Name(),
				"qm start with the VM's number")
	}
	return v
}

func judgeAddressOf(spec hypervisor.Spec, f vmFacts) health.Verdict {
	want := spec.Guest.Address.Addr().String()
	reserve := fmt.Sprintf("reserve %s for %s on the network's DHCP server, and restart the machine", want, spec.MAC())
	v4 := slices.DeleteFunc(slices.Clone(f.Addresses),
		func(address string) bool { return !strings.Contains(address, ".") })
	switch {
	case !spec.Guest.DHCP:
		return health.Verdict{State: health.Skipped, Message: "the machine sets its address itself"}
	case slices.Contains(v4, want) || f.Answers:
		return health.Verdict{State: health.Ready, Message: want}
	case len(v4) > 0:
		return health.Verdict{State: health.Stuck,
			Message: "expected " + want + ", found " + strings.Join(v4, ", "),
			Cause:   "the DHCP server gave another address to " + spec.MAC(), Hint: reserve}
	}
	v := health.Verdict{State: health.Waiting,
		Message: "expected " + want + ", found no lease and no answer", Evidence: console(f),
		Cause: "the machine still boots, or no DHCP server answers it", Hint: reserve}
	if f.Agent != "" {
		v.Evidence = append([]string{"the guest's agent: " + health.OneLine(f.Agent)},
			v.Evidence...)
	}
	return v
}

// console returns the machine's last console output.
func console(f vmFacts) []string {
	if strings.TrimSpace(f.Console) == "" {
		return nil
	}
	return []string{"console:\n" + strings.TrimSpace(f.Console)}
}
