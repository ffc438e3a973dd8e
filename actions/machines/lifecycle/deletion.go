package lifecycle

import (
	"context"
	"fmt"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
)

// markForDeletion marks all complete machines as to be deleted, before their stack deletes the
// first.
func markForDeletion(
	ctx context.Context, all hypervisor.Deletion, secrets hypervisor.Secrets,
) error {
	_, _, err := signAll(ctx, all, secrets, hypervisor.StateToDelete,
		func(m hypervisor.Mark) bool { return m.State == hypervisor.StateMade })
	return err
}

// keep removes the marks of markForDeletion.
func keep(ctx context.Context, all hypervisor.Deletion, secrets hypervisor.Secrets) error {
	_, _, err := signAll(ctx, all, secrets, hypervisor.StateMade,
		func(m hypervisor.Mark) bool { return m.State == hypervisor.StateToDelete })
	return err
}

// markForReplacement marks the machines that an interrupted destroy has left to be recreated. They
// are the rest of a cluster that the state no longer contains, so they cannot be used as they are.
// It returns their nodes, and the nodes whose machines that destroy has deleted: nothing else than a
// destroy removes this command from the state while the machines are in it.
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
