package network

import (
	"context"
	"fmt"
	"slices"

	"strata/tests/lab/machines/host"
)

// rule is one packet filter rule, in iptables' terms.
type rule struct {
	table, chain string
	match        []string
}

// ruleComment marks every rule that was made for a bridge.
func ruleComment(bridge string) string { return "strata:" + bridge }

// rules returns the rules that let machines talk to each other and to the world. With br_netfilter,
// frames between two machines also pass FORWARD, whose policy Docker sets to DROP. Only frames that
// leave the bridge are masqueraded: frames on it must keep their source, or Pod traffic between
// nodes would come from the gateway.
func (b Bridge) rules() []rule {
	comment := []string{"-m", "comment", "--comment", ruleComment(b.Name)}
	with := func(match ...string) []string { return append(slices.Clone(match), comment...) }
	return []rule{
		{"filter", "FORWARD", append(with("-i", b.Name), "-j", "ACCEPT")},
		{"filter", "FORWARD", append(with("-o", b.Name), "-j", "ACCEPT")},
		{"nat", "POSTROUTING", append(with("-s", b.Subnet.String(), "!", "-o", b.Name), "-j", "MASQUERADE")},
	}
}

// argv returns the iptables command for the rule; -w waits for another iptables to finish.
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
