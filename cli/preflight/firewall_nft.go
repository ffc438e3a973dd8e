package preflight

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

var (
	nftHead  = regexp.MustCompile(`^\s*(table|chain) (.+) \{$`)
	nftHook  = regexp.MustCompile(`^\s*type \w+ hook (\w+) `)
	nftDrop  = regexp.MustCompile(`^\s*(counter( packets \d+ bytes \d+)? )?(drop|reject.*)$`)
	nftInner = regexp.MustCompile(`iif(name)? "?lo"?|icmp|\bip6 `)
	nftFrom  = regexp.MustCompile(`ip saddr (@\S+|!= \S+|\{[^}]*\}|\S+)`)
	nftPorts = regexp.MustCompile(`(tcp|udp|th) dport (?:vmap )?(@\S+|!= \S+|\{[^}]*\}|\S+)`)
	nftDoes  = regexp.MustCompile(` : [a-z ]+`)
)

// nftables parses the concatenated output of `nft list table` for several tables. It returns a
// firewall for each table that drops packets.
func nftables(lines []string) (found []firewall) {
	var wall firewall
	closed, table, chain, hook := false, "", "", ""
	end := func() {
		if closed {
			found = append(found, wall)
		}
		closed, wall = false, firewall{name: "nftables",
			keep: ", and write it into /etc/nftables.conf"}
	}
	for _, line := range lines {
		head, at := nftHead.FindStringSubmatch(line), nftHook.FindStringSubmatch(line)
		switch {
		case head != nil && head[1] == "table":
			end()
			table = head[2]
		case head != nil:
			chain, hook = head[2], ""
		case at != nil:
			hook = at[1]
			if hook == "input" {
				wall.allow = nftAllow(table + " " + chain)
				closed = closed || strings.Contains(line, "policy drop")
			}
		case hook == "" || hook == "input":
			closed = closed || hook == "input" && nftDrop.MatchString(line)
			if p, ok := nftPass(line); ok {
				wall.passes = append(wall.passes, p)
			}
		}
	}
	end()
	return found
}

func nftAllow(chain string) func(string, netip.Prefix, []string) string {
	return func(protocol string, subnet netip.Prefix, ports []string) string {
		return fmt.Sprintf("nft 'insert rule %s ip saddr %s %s dport { %s } accept'", chain, subnet,
			protocol, strings.Join(ports, ", "))
	}
}

func nftPass(line string) (p pass, ok bool) {
	isOld := strings.Contains(line, "ct state") && !strings.Contains(line, "new")
	if !strings.Contains(line, "accept") || isOld || nftInner.MatchString(line) {
		return p, false
	}
	if from := nftFrom.FindStringSubmatch(line); from != nil {
		p.from = sources(from[1])
	}
	if ports := nftPorts.FindStringSubmatch(line); ports != nil {
		if ports[1] != "th" {
			p.protocol = ports[1]
		}
		if !strings.HasPrefix(ports[2], "@") && !strings.HasPrefix(ports[2], "!") {
			p.ports = portSpans(nftDoes.ReplaceAllString(ports[2], ""))
		}
	}
	return p, true
}
