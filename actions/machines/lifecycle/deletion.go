package lifecycle

import (
	"context"
	"fmt"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
)

// markForDeletion writes StateToDelete into the marks of all complete machines of a stack, before
// the first of them is deleted.
func markForDeletion(
	ctx context.Context, all hypervisor.Deletion, secrets hypervisor.Secrets,
) error {
	_, _, err := signAll(ctx, all, secrets, hypervisor.StateToDelete,
		func(m hypervisor.Mark) bool { return m.State == hypervisor.StateMade })
	return err
}

// keep reverts markForDeletion: it writes StateMade into the marks of machines that are to be
// deleted.
func keep(ctx context.Context, all hypervisor.Deletion, secrets hypervisor.Secrets) error {
	_, _, err := signAll(ctx, all, secrets, hypervisor.StateMade,
		func(m hypervisor.Mark) bool { return m.State == hypervisor.StateToDelete })
	return err
}

// markForReplacement marks the machines that an interrupted destroy has left, so that the next run
// recreates them. The state no longer contains their cluster. It returns the nodes of these
// machines, and the nodes whose machines the destroy has deleted. Only a destroy removes this
// command from the state while the machines are still in it.
func markForReplacement(
	ctx context.Context, all hypervisor.Deletion, secrets hypervisor.Secrets,
) (left, deleted []string, err error) {
	return signAll(ctx, all, secrets, hypervisor.StateDeleting,
		func(m hypervisor.Mark) bool {
			return m.State == hypervisor.StateToDelete || m.State == hypervisor.StateDeleting
		})
}

// signAll sets state in the mark of each machine for whose mark those returns true. It returns the
// nodes of these machines, and the nodes that have no machine.
func signAll(
	ctx context.Context, all hypervisor.Deletion, secrets hypervisor.Secrets, state string,
	those func(hypervisor.Mark) bool,
) (signed, missing []string, err error) {
	if len(all.Machines) == 0 {
		return nil, nil, nil
	}
	err = onHost(ctx, all.Machines[0], secrets, func(host hypervisor.Host) error {
		for _, spec := range all.Machines {
			on := drivers.New(host, spec)
			have, err := on.Find(ctx)
			switch {
			case err == nil && have == nil:
				missing = append(missing, spec.Node)
			case err == nil && those(have.Mark):
				signed = append(signed, spec.Node)
				err = on.Sign(ctx, have, spec.Mark(state))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", spec.Name(), err)
			}
		}
		return nil
	})
	return signed, missing, err
}
