package lifecycle

import (
	"context"
	"fmt"

	"strata/internal/hypervisor"
)

// ByHand changes a machine's mark for a person: "release" takes the identity off it, whoever owns
// it, and "adopt" puts the Spec's on it. The machine goes on. It returns the mark that there was,
// and changes nothing unless yes.
func ByHand(ctx context.Context, spec vm.Spec, secrets vm.Secrets, action string, yes bool) (was vm.Mark, err error) {
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	host, err := vm.Connect(ctx, spec.Hypervisor, secrets.HypervisorKey)
	if err != nil {
		return vm.Mark{}, err
	}
	defer func() { _ = host.Close() }() // Nothing more is sent on it.
	d := newDriver(host, spec.AnyOwner())
	have, err := d.Find(ctx)
	if err != nil {
		return vm.Mark{}, err
	}
	if have == nil {
		return vm.Mark{}, fmt.Errorf("%s: there is no machine %s", host, spec.Name())
	}
	mark := vm.Mark{Stack: spec.Stack, Node: spec.Node, State: have.Mark.State}
	if action == "adopt" {
		mark = spec.Mark(have.Mark.State)
	}
	if !yes {
		return have.Mark, nil
	}
	return have.Mark, d.Sign(ctx, have, mark)
}
