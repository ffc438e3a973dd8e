package preflight

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"strata/health"
	"strata/internal/hypervisor"
)

// judgeVMAddress checks that no other machine has a machine's address. place is the machine's index
// in the configuration. The machine's own MAC address, which is computed from stack and node, may
// have a lease or answer.
func judgeVMAddress(place int, spec hypervisor.Spec, f vmFindings) health.Verdict {
	address := spec.Guest.Address.Addr()
	is := fmt.Sprintf("strata:hosts.nodes[%d].address %s: ", place, address)
	if f.Network.DHCP != nil {
		if v := judgeVMLease(is, spec, *f.Network.DHCP); v.State != "" {
			return v
		}
	}
	for _, line := range f.Pings["answers"] {
		held, mac, _ := strings.Cut(line, " ")
		if held == address.String() && mac != spec.MAC() {
			return health.Verdict{State: health.Stuck,
				Message: is + "expected silent or held by " + spec.MAC() + ", answered by " + mac,
				Cause:   "another device has the address",
				Hint:    "choose another address, or take the device off it"}
		}
	}
	return health.Verdict{State: health.Ready, Message: "held by no other machine"}
}

// judgeVMLease compares an address with the leases of the hypervisor's DHCP server. It returns a
// zero Verdict if there is neither a conflict nor a warning.
func judgeVMLease(is string, spec hypervisor.Spec, dhcp hypervisor.DHCPFacts) health.Verdict {
	address, mac, network := spec.Guest.Address.Addr(), spec.MAC(), spec.Libvirt.Network
	inRange := slices.ContainsFunc(dhcp.Ranges, func(span [2]netip.Addr) bool {
		return span[0].Compare(address) <= 0 && address.Compare(span[1]) <= 0
	})
	reserve := fmt.Sprintf("virsh net-update %s add ip-dhcp-host \"<host mac='%s' ip='%s'/>\" --live --config",
		network, mac, address)
	reserved, leased := dhcp.Reserved[address], dhcp.Leased[address]
	switch {
	case reserved != "" && reserved != mac:
		return health.Verdict{State: health.Stuck,
			Message: is + "expected free or reserved for " + mac + ", found reserved for " +
				reserved,
			Hint: "choose another address, or change the reservation: virsh net-edit " + network}
	case leased != "" && leased != mac:
		return health.Verdict{State: health.Stuck,
			Message: is + "expected free or leased to " + mac + ", found leased to " + leased,
			Hint:    "choose another address, or move the machine that has it: virsh net-dhcp-leases " + network}
	case reserved == mac:
		return health.Verdict{}
	case spec.Guest.DHCP && !inRange:
		return health.Verdict{State: health.Stuck,
			Message: is + "expected a reservation for " + mac + ", found none",
			Cause:   "it is in no range of the DHCP server", Hint: reserve}
	case inRange:
		return health.Verdict{State: health.Ready,
			Message: is + "in the DHCP server's range, which may give it to others",
			Hint:    "reserve it: " + reserve}
	}
	return health.Verdict{}
}

// reservations returns the DHCP reservations that the machines need, as "ADDRESS for MAC".
func reservations(specs hypervisor.Specs) []string {
	all := make([]string, len(specs))
	for i, spec := range specs {
		all[i] = spec.Guest.Address.Addr().String() + " for " + spec.MAC()
	}
	return all
}

// explainUnasked returns why the addresses were not probed; empty if they were.
func explainUnasked(specs hypervisor.Specs, f vmFindings) string {
	subnet := specs[0].Guest.Address
	switch lacks := f.Pings.Get("lacks"); {
	case f.PingsFault != nil:
		return "not asked for: " + health.OneLine(f.PingsFault.Error())
	case lacks != "":
		return "the hypervisor lacks " + lacks + " to ask for them"
	case slices.Contains(f.Pings["far"], subnet.Addr().String()):
		return "the hypervisor has no address in " + subnet.Masked().String() + " to ask from"
	}
	return ""
}
