package scaffold

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"strata/config"
	"strata/health/host"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/silence"
)

// Pool is the proposed range for LoadBalancer Services.
type Pool struct {
	Range config.Range
	// From is the host that probed the addresses. If no host could probe them, From is empty and
	// Why has the reason.
	From, Why string
	// Asked is the number of probed addresses, and Answered how many of them are in use.
	Asked, Answered int
}

// askedPool probes the last addresses of the network from one of the hosts, and chooses the pool
// from those that do not answer. If no host can probe, it chooses from all of them.
func askedPool(ctx context.Context, subnet netip.Prefix, hosts []Host) (Pool, *Problem) {
	free := candidates(subnet, takenBy(hosts))
	pool := Pool{Asked: len(free)}
	answers, from, err := askAny(ctx, hosts, free)
	if err != nil {
		pool.Why = err.Error()
	} else {
		pool.From, pool.Answered = from, len(answers)
		free = slices.DeleteFunc(free, func(address netip.Addr) bool { return answers[address] })
	}
	var found bool
	if pool.Range, found = freeRange(subnet, free); !found {
		return pool,
			&Problem{What: fmt.Sprintf("no address at the end of %s is free for LoadBalancer Services", subnet),
				Fix: "free some, or write the file by hand with a range of your own, or with " +
					"strata:metallb: {enabled: false}"}
	}
	return pool, nil
}

// askAny probes addresses from the first host that can, and returns those in use and the name of
// that host. If no host can, the error has the reason of each.
func askAny(
	ctx context.Context, hosts []Host, addresses []netip.Addr,
) (answers map[netip.Addr]bool, from string, err error) {
	words := make([]string, len(addresses))
	for i, address := range addresses {
		words[i] = address.String()
	}
	script := host.WithSettings(host.PoolScript,
		map[string]string{"addresses": strings.Join(words, " "), "nodes": ""})
	var failed []string
	for _, h := range hosts {
		block, err := ask(ctx, h, script)
		switch {
		case err != nil:
			failed = append(failed, err.Error())
			continue
		case block.Get("lacks") != "":
			failed = append(failed, h.Asked.Address+" has no "+block.Get("lacks"))
			continue
		}
		answers = map[netip.Addr]bool{}
		for _, line := range block["answers"] {
			text, _, _ := strings.Cut(line, " ")
			if address, err := netip.ParseAddr(text); err == nil {
				answers[address] = true
			}
		}
		return answers, h.Asked.Address, nil
	}
	return nil, "", fmt.Errorf("%s", strings.Join(failed, "; "))
}

// ask runs a script on a host and returns the last block of key=value lines that it prints.
func ask(ctx context.Context, h Host, script string) (host.Block, error) {
	client, err := remote.Dial(ctx, h.target, h.key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }() // The connection is not used again.
	silence.Heard(ctx)
	var block host.Block
	blocks := host.Blocks{Take: func(b host.Block) { block = b }}
	err = client.Stream(ctx, script, nil, func(line string) {
		silence.Heard(ctx)
		blocks.Line(line)
	})
	if err == nil && block == nil {
		err = fmt.Errorf("%s: what it heard did not arrive whole", h.Asked)
	}
	return block, err
}

// blockOf returns the last block of key=value lines in an output; nil if none is complete.
func blockOf(output string) host.Block {
	var block host.Block
	lines := host.Blocks{Take: func(b host.Block) { block = b }}
	for line := range strings.Lines(output) {
		lines.Line(strings.TrimSuffix(line, "\n"))
	}
	return block
}
