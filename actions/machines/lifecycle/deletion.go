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
	_, err := signAll(ctx, all, secrets, hypervisor.StateToDelete,
		func(m hypervisor.Mark) bool { return m.State == hypervisor.StateMade })
	return err
}

// keep reverts markForDeletion: it writes StateMade into the marks of machines that are to be
// deleted.
func keep(ctx context.Context, all hypervisor.Deletion, secrets hypervisor.Secrets) error {
	_, err := signAll(ctx, all, secrets, hypervisor.StateMade,
		func(m hypervisor.Mark) bool { return m.State == hypervisor.StateToDelete })
	return err
}

// markForReplacement marks the machines that an interrupted destroy has left to be recreated, and
// returns their names. The state no longer contains their cluster, so the next run recreates them.
func markForReplacement(
	ctx context.Context, all hypervisor.Deletion, secrets hypervisor.Secrets,
) ([]string, error) {
	return signAll(ctx, all, secrets, hypervisor.StateDeleting,
		func(m hypervisor.Mark) bool { return m.State == hypervisor.StateToDelete })
}

// signAll sets state in the mark of each machine for whose mark those returns true, and returns the
// names of these machines.
func signAll(
	ctx context.Context, all hypervisor.Deletion, secrets hypervisor.Secrets, state string,
	those func(hypervisor.Mark) bool,
) (names []string, err error) {
	if len(all.Machines) == 0 {
		return nil, nil
	}
	err = onHost(ctx, all.Machines[0], secrets, func(host hypervisor.Host) error {
		for _, spec := range all.Machines {
			on := drivers.New(host, spec)
			have, err := on.Find(ctx)
			if err == nil && have != nil && those(have.Mark) {
				names = append(names, spec.Name())
				err = on.Sign(ctx, have, spec.Mark(state))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", spec.Name(), err)
			}
		}
		return nil
	})
	return names, err
}
