package network

import (
	"context"
	"fmt"
	"slices"

	"strata/tests/lab/machines/host"
)

// rule is an iptables rule.
type rule struct {
	table, chain string
	match        []string
}

// ruleComment returns the comment of a bridge's rules.
func ruleComment(bridge string) string { return "strata:" + bridge }

// rules returns the rules that let machines reach each other and other networks. With br_netfilter,
// traffic between two machines also passes the FORWARD chain, whose policy Docker sets to DROP.
// Only traffic that leaves the bridge is masqueraded. Otherwise, Pod traffic between nodes would
// have the gateway as its source.
func (b Bridge) rules() []rule {
	comment := []string{"-m", "comment", "--comment", ruleComment(b.Name)}
	with := func(match ...string) []string { return append(slices.Clone(match), comment...) }
	return []rule{
		{"filter", "FORWARD", append(with("-i", b.Name), "-j", "ACCEPT")},
		{"filter", "FORWARD", append(with("-o", b.Name), "-j", "ACCEPT")},
		{"nat", "POSTROUTING", append(with("-s", b.Subnet.String(), "!", "-o", b.Name), "-j", "MASQUERADE")},
	}
}

// argv returns an iptables command for the rule. action is -I, -C or -D. -w 10 waits up to 10 s for
// the xtables lock.
func (r rule) argv(action string) []string {
	return append([]string{"iptables", "-w", "10", "-t", r.table, action, r.chain}, r.match...)
}

func (r rule) exists(ctx context.Context) bool {
	_, err := host.Run(ctx, r.argv("-C")...)
	return err == nil
}

func (b Bridge) ensureRules(ctx context.Context) error {
	for _, r := range b.rules() {
		if r.exists(ctx) {
			continue
		}
		if _, err := host.Run(ctx, r.argv("-I")...); err != nil {
			return fmt.Errorf("adding packet filter rules for bridge %s: %w", b.Name, err)
		}
	}
	return nil
}

func (b Bridge) removeRules(ctx context.Context) error {
	for _, r := range b.rules() {
		for r.exists(ctx) {
			if _, err := host.Run(ctx, r.argv("-D")...); err != nil {
				return fmt.Errorf("removing packet filter rules of bridge %s: %w", b.Name, err)
			}
		}
	}
	return nil
}
