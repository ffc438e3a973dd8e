package lifecycle

import (
	"context"
	"fmt"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
)

// ByHand changes a machine's mark by hand: "release" removes the identity, for any owner, and
// "adopt" writes the Spec's. The machine keeps running. It returns the old mark, and changes
// nothing unless yes.
func ByHand(
	ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets, action string, yes bool,
) (was hypervisor.Mark, err error) {
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	host, err := hypervisor.Connect(ctx, spec.Hypervisor, secrets.HypervisorKey)
	if err != nil {
		return hypervisor.Mark{}, err
	}
	defer func() { _ = host.Close() }() // Nothing more is sent on it.
	d := drivers.New(host, spec.AnyOwner())
	have, err := d.Find(ctx)
	if err != nil {
		return hypervisor.Mark{}, err
	}
	if have == nil {
		return hypervisor.Mark{}, fmt.Errorf("%s: there is no machine %s", host, spec.Name())
	}
	mark := hypervisor.Mark{Stack: spec.Stack, Node: spec.Node, State: have.Mark.State}
	if action == "adopt" {
		mark = spec.Mark(have.Mark.State)
	}
	if !yes {
		return have.Mark, nil
	}
	return have.Mark, d.Sign(ctx, have, mark)
}
