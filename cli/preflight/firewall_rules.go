package preflight

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"strata/health/host"
)

// pass is a rule that accepts packets. The parser ignores unknown restrictions, so that an open
// port is never reported as closed.
type pass struct {
	// protocol, ports and from restrict the rule; an empty field restricts nothing.
	protocol string
	ports    [][2]int
	from     []netip.Prefix
}

func (p pass) takes(port Port, from netip.Addr) bool {
	return (p.protocol == "" || p.protocol == port.Protocol) &&
		(p.ports == nil ||
			slices.ContainsFunc(p.ports,
				func(s [2]int) bool { return s[0] <= port.Number && port.Number <= s[1] })) &&
		(p.from == nil || slices.ContainsFunc(p.from,
			func(n netip.Prefix) bool { return n.Contains(from) }))
}

// elements splits a list such as a,b, or a set such as { a, b }.
func elements(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("{}, \t", r) })
}

// portSpans parses ports and ranges of ports, such as 22,2379:2380 and { 22, 2379-2380 }. A list
// without a number gives an empty slice, which matches no port. It is never nil, because nil
// matches every port.
func portSpans(text string) [][2]int {
	spans := [][2]int{}
	for _, one := range elements(text) {
		first, last, isSpan := strings.Cut(strings.ReplaceAll(one, "-", ":"), ":")
		if !isSpan {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, errTo := strconv.Atoi(last)
		if err == nil && errTo == nil {
			spans = append(spans, [2]int{from, to})
		}
	}
	return spans
}

// sources parses addresses and networks. If it cannot parse one of them, it returns nil, which
// matches any source.
func sources(text string) (networks []netip.Prefix) {
	for _, one := range elements(text) {
		if address, err := netip.ParseAddr(one); err == nil {
			networks = append(networks, netip.PrefixFrom(address, address.BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(one)
		if err != nil {
			return nil
		}
		networks = append(networks, network.Masked())
	}
	return networks
}

// firewalls returns the host's firewalls that drop packets by default.
func firewalls(b host.Block) (found []firewall) {
	for _, read := range []func(host.Block) (firewall, bool){ufw, firewalld, iptables} {
		if wall, closed := read(b); closed {
			found = append(found, wall)
		}
	}
	return append(found, nftables(b["nft"])...)
}

// ufwRule matches a rule in `ufw status verbose`: its target, such as a port, and its source.
var (
	ufwRule = regexp.MustCompile(`^(.+?) +(?:ALLOW|LIMIT) IN +(\S+)`)
	ufwPort = regexp.MustCompile(`^([\d,:]+)(?:/(tcp|udp))?$`)
)

func ufw(b host.Block) (firewall, bool) {
	closed, wall := false,
		firewall{name: "ufw", allow: func(protocol string, subnet netip.Prefix,
			ports []string) string {
			return "ufw allow proto " + protocol + " from " + subnet.String() + " to any port " +
				strings.Join(ports, ",")
		}}
	for _, line := range b["ufw"] {
		if strings.HasPrefix(line, "Default: deny (incoming)") ||
			strings.HasPrefix(line, "Default: reject (incoming)") {
			closed = true
		}
		rule := ufwRule.FindStringSubmatch(line)
		if rule == nil || strings.Contains(line, "(v6)") {
			continue
		}
		p := pass{}
		for to := range strings.FieldsSeq(rule[1]) {
			if port := ufwPort.FindStringSubmatch(to); port != nil {
				p.ports, p.protocol = portSpans(port[1]), port[2]
			}
		}
		p.from = sources(strings.TrimSuffix(strings.TrimSuffix(rule[2], "/tcp"), "/udp"))
		wall.passes = append(wall.passes, p)
	}
	return wall, closed
}

func iptables(b host.Block) (firewall, bool) {
	closed, wall := false,
		firewall{name: "iptables", keep: ", and save the rules",
			allow: func(protocol string, subnet netip.Prefix, ports []string) string {
				return "iptables -I INPUT -s " + subnet.String() + " -p " + protocol +
					" -m multiport --dports " + strings.Join(ports, ",") + " -j ACCEPT"
			}}
	for _, line := range b["iptables"] {
		if strings.HasPrefix(line, ":INPUT DROP") || strings.HasPrefix(line, "-A INPUT -j DROP") ||
			strings.HasPrefix(line, "-A INPUT -j REJECT") {
			closed = true
		}
		if p, ok := iptablesPass(strings.Fields(line)); ok {
			wall.passes = append(wall.passes, p)
		}
	}
	return wall, closed
}

func iptablesPass(words []string) (p pass, ok bool) {
	for i := 1; i+1 < len(words); i++ {
		value := words[i+1]
		if words[i-1] == "!" {
			continue
		}
		switch words[i] {
		case "-i":
			if value == "lo" {
				return p, false
			}
		case "--state", "--ctstate":
			if !strings.Contains(value, "NEW") {
				return p, false
			}
		case "-p":
			p.protocol = value
		case "-s":
			p.from = sources(value)
		case "--dport", "--dports":
			p.ports = portSpans(value)
		case "-j":
			ok = value == "ACCEPT"
		}
	}
	return p, ok
}
