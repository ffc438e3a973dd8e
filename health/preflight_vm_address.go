package health

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"strata/internal/vm"
)

// judgeVMAddresses: no address is another's. Each machine's hardware address follows from stack and node, so that its own lease and its
// own answer are known.
func judgeVMAddresses(specs vm.Specs, f vmFindings) Verdict {
	taken, fixes, doubts := judgeVMLeases(specs, f.Network.DHCP)
	answered, silent := othersAnswer(specs, f)
	taken = append(taken, answered...)
	if len(answered) > 0 {
		fixes = append(fixes, "choose another strata:hosts.nodes[].address, or take the device off it")
	}
	v := Verdict{State: Ready, Message: "none is held by others", Hint: strings.Join(doubts, "; ")}
	switch {
	case len(taken) > 0:
		v.State, v.Hint = Stuck, strings.Join(append(fixes, doubts...), "; ")
		v.Message = "strata:hosts.nodes[].address: expected addresses that are free or these machines', found: " + strings.Join(taken, "; ")
	case silent != "" && f.Network.DHCP == nil:
		v.State, v.Message = Skipped, silent
	}
	if f.Network.DHCP == nil && specs[0].Guest.DHCP && v.State != Stuck {
		v.Message += "; its own DHCP server must give them"
		v.Hint = "reserve on the network's DHCP server: " + strings.Join(reservations(specs), ", ")
	}
	return v
}

// reservations are the machines' addresses with their hardware addresses.
func reservations(specs vm.Specs) []string {
	var all []string
	for _, spec := range specs {
		all = append(all, spec.Guest.Address.Addr().String()+" for "+spec.MAC())
	}
	return all
}

// judgeVMLeases compares the addresses with what the hypervisor's own DHCP server gives out: what is taken, how to mend it, and what may
// go wrong later.
func judgeVMLeases(specs vm.Specs, dhcp *vm.DHCPFacts) (taken, fixes, doubts []string) {
	if dhcp == nil {
		return nil, nil, nil
	}
	for _, spec := range specs {
		address, mac := spec.Guest.Address.Addr(), spec.MAC()
		reserve := fmt.Sprintf("virsh net-update %s add ip-dhcp-host \"<host mac='%s' ip='%s'/>\" --live --config", spec.Libvirt.Network, mac, address)
		inRange := slices.ContainsFunc(dhcp.Ranges, func(span [2]netip.Addr) bool { return span[0].Compare(address) <= 0 && address.Compare(span[1]) <= 0 })
		reserved, leased := dhcp.Reserved[address], dhcp.Leased[address]
		switch {
		case reserved != "" && reserved != mac:
			taken = append(taken, fmt.Sprintf("%s of %s is reserved for %s", address, spec.Node, reserved))
			fixes = append(fixes, "choose another address for "+spec.Node+", or change the reservation: virsh net-edit "+spec.Libvirt.Network)
		case leased != "" && leased != mac:
			taken = append(taken, fmt.Sprintf("%s of %s is leased to %s", address, spec.Node, leased))
			fixes = append(fixes, "choose another address for "+spec.Node+", or move the machine that has it (virsh net-dhcp-leases "+spec.Libvirt.Network+")")
		case reserved == mac:
		case spec.Guest.DHCP && !inRange:
			taken = append(taken, fmt.Sprintf("%s of %s is in no range of the DHCP server and not reserved", address, spec.Node))
			fixes = append(fixes, reserve)
		case inRange:
			doubts = append(doubts, fmt.Sprintf("%s of %s is in the DHCP server's range and may be given to others: %s", address, spec.Node, reserve))
		}
	}
	return taken, fixes, doubts
}

// othersAnswer are the addresses that something else answers for, and why nobody could ask.
func othersAnswer(specs vm.Specs, f vmFindings) (taken []string, silent string) {
	switch lacks := f.Pings.get("lacks"); {
	case f.PingsFault != nil:
		return nil, "not asked for: " + oneLine(f.PingsFault.Error())
	case lacks != "":
		return nil, "the hypervisor lacks " + lacks + " to ask for them"
	}
	for _, spec := range specs {
		address := spec.Guest.Address.Addr().String()
		if slices.Contains(f.Pings["far"], address) {
			silent = "the hypervisor has no address in " + spec.Guest.Address.Masked().String() + " to ask from"
		}
		for _, line := range f.Pings["answers"] {
			held, mac, _ := strings.Cut(line, " ")
			if held == address && mac != spec.MAC() {
				taken = append(taken, fmt.Sprintf("%s of %s is answered by %s", address, spec.Node, mac))
			}
		}
	}
	return taken, silent
}
