package address

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"strata/health"
	"strata/internal/ssh/tunnel"
)

// unseenSeconds limits the wait for the nodes' ARP answers, in seconds. The kernel repeats a lost
// request after a second.
const unseenSeconds = 3

// answererFacts describes the machine that answers for the address on this machine's network.
type answererFacts struct {
	// MAC is the machine's hardware address, from the kernel's neighbour table. It is empty if the
	// address is on another network, or belongs to this machine.
	MAC string `json:"mac,omitempty"`
	// Nodes are the names of the cluster's nodes by hardware address. Silent are the nodes that are
	// not in the neighbour table, for example because they are on another network.
	Nodes  map[string]string `json:"nodes,omitempty"`
	Silent []string          `json:"silent,omitempty"`
	// Seconds is the number of seconds for which the same machine has answered for the address.
	Seconds int `json:"seconds,omitempty"`
}

// network reads the kernel's neighbour table (table), and makes the kernel resolve the nodes'
// addresses (meet).
type network struct {
	table func(context.Context) string
	meet  func(nodes map[string]string)
}

// networkOf returns this machine's network. With a tunnel, the table is empty: this machine's
// neighbours may have the same addresses but are other machines.
func networkOf(through tunnel.Spec) network {
	if through.There() {
		return network{func(context.Context) string { return "" }, func(map[string]string) {}}
	}
	return network{arpTable, meet}
}

// whoAnswers looks up the address and the nodes (addresses by name) in the kernel's table. It
// returns empty facts if the table does not contain the address, or if two nodes have one hardware
// address.
func whoAnswers(table, address string, nodes map[string]string) answererFacts {
	macs := neighbours(table)
	who := answererFacts{MAC: macs[address], Nodes: map[string]string{}}
	if who.MAC == "" {
		return answererFacts{}
	}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		mac := macs[nodes[name]]
		switch {
		case mac == "":
			who.Silent = append(who.Silent, name)
		case who.Nodes[mac] != "":
			return answererFacts{} // a router answers for all of them (proxy ARP)
		default:
			who.Nodes[mac] = name
		}
	}
	return who
}

// neighbours returns the hardware addresses in an arpTable by IP address, without incomplete
// entries.
func neighbours(table string) map[string]string {
	macs := map[string]string{}
	for line := range strings.Lines(table) {
		if address, mac := neighbour(strings.Fields(line)); strings.Contains(mac, ":") {
			macs[address] = mac
		}
	}
	return macs
}

// neighbour parses a line of the table; both results are empty for an incomplete or permanent
// entry. A line of proc(5) has address, type, flags, hardware address, mask and device. A line of
// macOS's arp is "? (ADDRESS) at MAC on DEVICE …"; its permanent entries are this machine's own. An
// incomplete entry has no hardware address.
func neighbour(fields []string) (address, mac string) {
	const incomplete = "0x0"
	switch {
	case len(fields) < 6, fields[2] == incomplete, slices.Contains(fields, "permanent"):
		return "", ""
	case fields[2] == "at":
		return strings.Trim(fields[1], "()"), twoDigits(fields[3])
	}
	return fields[0], fields[3]
}

// twoDigits returns a hardware address with two digits for each byte, because macOS omits leading
// zeros.
func twoDigits(mac string) string {
	parts := strings.Split(mac, ":")
	for i, part := range parts {
		if len(part) == 1 {
			parts[i] = "0" + part
		}
	}
	return strings.Join(parts, ":")
}

// meet makes the kernel resolve the nodes' hardware addresses: it sends a UDP packet to each node.
// No process on the node needs to receive the packet.
func meet(nodes map[string]string) {
	for _, address := range nodes {
		connection, err := net.Dial("udp", net.JoinHostPort(address, "9")) // discard, RFC 863
		if err != nil {
			continue // no network of this machine leads to the node
		}
		_, _ = connection.Write([]byte{0})
		_ = connection.Close()
	}
}

// judgeAnswerer adds to the verdict on the connections which machine answers for the address. A
// machine that has the address by mistake may accept connections too, so these alone prove nothing.
func judgeAnswerer(dials health.Verdict, address string, who answererFacts) health.Verdict {
	node, ours := who.Nodes[who.MAC]
	foreign := who.MAC != "" && !ours && len(who.Silent) == 0
	switch {
	case foreign:
		v := health.Verdict{
			State: health.Waiting, Message: fmt.Sprintf(
				"%s answers for %s, and is no node: they are %s", who.MAC, address,
				whoIsWho(who.Nodes)),
			Cause: "another machine has the address",
			Hint: "ip neigh show " + address +
				"; give that machine another address, or take it out of strata:metallb.addresses",
		}
		if !dials.Passes() {
			v.Message = dials.Message + "; " + v.Message
		}
		return v
	case !dials.Passes() && ours && dials.Cause == unannounced:
		dials.Cause = node + " announces the address, and nothing answers behind it: kube-proxy, " +
			"the Pod network or a firewall drops the packets on " + node + ", or on the way to it"
		dials.Hint = fmt.Sprintf("on %s: iptables-save | grep -e %s -e :FORWARD", node, address)
		return dials
	case !dials.Passes() || who.MAC == "":
		return dials
	case ours:
		return health.Verdict{State: health.Ready, Message: node + " answers for it"}
	case who.Seconds < unseenSeconds:
		return health.Verdict{State: health.Waiting,
			Message: who.MAC + " answers for " + address + "; whose that is, is not known yet"}
	}
	return health.Verdict{State: health.Ready,
		Message: fmt.Sprintf("%s answers for it; whether that is a node cannot be seen from "+
			"here, where %s are not on the network",
			who.MAC, strings.Join(who.Silent, ", "))}
}

func whoIsWho(nodes map[string]string) string {
	var list []string
	for mac, name := range nodes {
		list = append(list, name+" "+mac)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
