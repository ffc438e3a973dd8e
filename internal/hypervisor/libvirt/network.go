package libvirt

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"strata/internal/hypervisor"
)

func (l *libvirt) Network(ctx context.Context) hypervisor.NetworkFacts {
	if l.Spec.Libvirt.Bridge != "" {
		return l.bridge(ctx)
	}
	facts := hypervisor.NetworkFacts{Key: "strata:hosts.libvirt.network",
		Name: l.Spec.Libvirt.Network}
	facts.Fault = l.virtualNetwork(ctx, &facts)
	return facts
}

// bridge describes the configured kernel bridge. Open vSwitch would need another domain definition.
func (l *libvirt) bridge(ctx context.Context) hypervisor.NetworkFacts {
	facts := hypervisor.NetworkFacts{Key: "strata:hosts.libvirt.bridge",
		Name: l.Spec.Libvirt.Bridge}
	var table string
	table, facts.Fault = l.Command(ctx, "ip", "-o", "link", "show", "type", "bridge")
	for line := range strings.Lines(table) {
		words := strings.Fields(line) // 3: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu …
		if len(words) < 3 {
			continue
		}
		name := strings.TrimSuffix(words[1], ":")
		facts.Others = append(facts.Others, name)
		if name == facts.Name {
			flags := strings.Split(strings.Trim(words[2], "<>"), ",")
			facts.There, facts.Active = true, slices.Contains(flags, "UP")
		}
	}
	return facts
}

// networkXML holds the parts of a network's definition that Strata reads,
// https://libvirt.org/formatnetwork.html.
type networkXML struct {
	IPs []struct {
		DHCP *struct {
			Ranges []struct {
				Start netip.Addr `xml:"start,attr"`
				End   netip.Addr `xml:"end,attr"`
			} `xml:"range"`
			Hosts []struct {
				MAC string     `xml:"mac,attr"`
				IP  netip.Addr `xml:"ip,attr"`
			} `xml:"host"`
		} `xml:"dhcp"`
	} `xml:"ip"`
}

func (l *libvirt) virtualNetwork(ctx context.Context, facts *hypervisor.NetworkFacts) error {
	names, err := l.virsh(ctx, "net-list", "--all", "--name")
	if err != nil {
		return err
	}
	facts.Others = strings.Fields(names)
	if facts.There = slices.Contains(facts.Others, facts.Name); !facts.There {
		return nil
	}
	info, err := l.virsh(ctx, "net-info", facts.Name)
	if err != nil {
		return err
	}
	if facts.Active = fields(info)["Active"] == "yes"; !facts.Active {
		return nil
	}
	text, err := l.virsh(ctx, "net-dumpxml", facts.Name)
	if err != nil {
		return err
	}
	var network networkXML
	if err := xml.Unmarshal([]byte(text), &network); err != nil {
		return fmt.Errorf("%s: network %s: %w", l.Host, facts.Name, err)
	}
	if facts.DHCP = network.dhcp(); facts.DHCP == nil {
		return nil
	}
	leases, err := l.virsh(ctx, "net-dhcp-leases", facts.Name)
	facts.DHCP.Leased = leasesIn(leases)
	return err
}

// dhcp describes the network's own DHCP server; nil if it has none.
func (n networkXML) dhcp() *hypervisor.DHCPFacts {
	var facts *hypervisor.DHCPFacts
	for _, ip := range n.IPs {
		if ip.DHCP == nil {
			continue
		}
		if facts == nil {
			facts = &hypervisor.DHCPFacts{Reserved: map[netip.Addr]string{}}
		}
		for _, span := range ip.DHCP.Ranges {
			facts.Ranges = append(facts.Ranges, [2]netip.Addr{span.Start, span.End})
		}
		for _, host := range ip.DHCP.Hosts {
			facts.Reserved[host.IP] = strings.ToLower(host.MAC)
		}
	}
	return facts
}

// leasesIn parses the table of net-dhcp-leases: date, time, hardware address, protocol,
// address/prefix, host name, client.
func leasesIn(table string) map[netip.Addr]string {
	leases := map[netip.Addr]string{}
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 5 {
			continue
		}
		if prefix, err := netip.ParsePrefix(words[4]); err == nil {
			leases[prefix.Addr()] = strings.ToLower(words[2])
		}
	}
	return leases
}
