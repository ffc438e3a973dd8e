package lifecycle

import (
	"context"
	"fmt"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
	"strata/internal/k3shost"
)

// ChangeOwner changes a machine's mark at a user's request, and returns the previous one. Clear
// removes the cluster's ID of any owner, Take writes that of the Spec, and Show changes nothing.
// The machine keeps running.
func ChangeOwner(
	ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets, to k3shost.Change,
) (was hypervisor.Mark, err error) {
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	host, err := hypervisor.Connect(ctx, spec.Hypervisor, secrets.HypervisorKey)
	if err != nil {
		return hypervisor.Mark{}, err
	}
	defer func() { _ = host.Close() }() // no more commands follow
	d := drivers.New(host, spec.AnyOwner())
	have, err := d.Find(ctx)
	if err != nil {
		return hypervisor.Mark{}, err
	}
	if have == nil {
		return hypervisor.Mark{}, fmt.Errorf("%s: there is no machine %s", host, spec.Name())
	}
	switch to {
	case k3shost.Take:
		err = d.Sign(ctx, have, spec.Mark(have.Mark.State))
	case k3shost.Show:
	case k3shost.Clear:
		err = d.Sign(ctx, have, hypervisor.Mark{Stack: spec.Stack, Node: spec.Node,
			State: have.Mark.State})
	}
	return have.Mark, err
}
