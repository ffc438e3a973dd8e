package vm

import (
	"context"
	"fmt"
)

// ByHand is what a person does with a machine's mark: "release" takes the identity off it, whosever it is, and "adopt" puts the Spec's on it.
// The machine goes on. It returns the mark that there was, and changes nothing unless yes.
func ByHand(ctx context.Context, spec Spec, secrets Secrets, action string, yes bool) (was Mark, err error) {
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	host, err := Connect(ctx, spec.Hypervisor, secrets.HypervisorKey)
	if err != nil {
		return Mark{}, err
	}
	defer func() { _ = host.Close() }() // Everything has been said on it.
	d := newDriver(host, spec.Anybodys())
	have, err := d.find(ctx)
	if err != nil {
		return Mark{}, err
	}
	if have == nil {
		return Mark{}, fmt.Errorf("%s: there is no machine %s", host, spec.Name())
	}
	mark := Mark{Stack: spec.Stack, Node: spec.Node, State: have.Mark.State}
	if action == "adopt" {
		mark = spec.mark(have.Mark.State)
	}
	if !yes {
		return have.Mark, nil
	}
	return have.Mark, d.sign(ctx, have, mark)
}
