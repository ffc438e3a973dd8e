package lifecycle

import (
	"context"
	"fmt"

	"strata/internal/hypervisor"
)

// MarkForDeletion marks all machines that are whole: their stack is about to delete them.
func MarkForDeletion(ctx context.Context, all vm.Deletion, secrets vm.Secrets) error {
	_, err := signAll(ctx, all, secrets, vm.StateToDelete, func(m vm.Mark) bool { return m.State == vm.StateMade })
	return err
}

// Keep takes MarkForDeletion back.
func Keep(ctx context.Context, all vm.Deletion, secrets vm.Secrets) error {
	_, err := signAll(ctx, all, secrets, vm.StateMade, func(m vm.Mark) bool { return m.State == vm.StateToDelete })
	return err
}

// MarkForReplacement has the machines that are marked for deletion still made anew, and returns
// their names: a deletion of all has begun and broken off, and what is left of them is half a
// cluster that no state knows any more.
func MarkForReplacement(ctx context.Context, all vm.Deletion, secrets vm.Secrets) ([]string, error) {
	return signAll(ctx, all, secrets, vm.StateDeleting, func(m vm.Mark) bool { return m.State == vm.StateToDelete })
}

// signAll gives each machine whose mark is one of those its new state, and returns the names of
// those.
func signAll(ctx context.Context, all vm.Deletion, secrets vm.Secrets, state string, those func(vm.Mark) bool) (names []string, err error) {
	if len(all.Machines) == 0 {
		return nil, nil
	}
	err = onHost(ctx, all.Machines[0], secrets, func(host vm.Host) error {
		for _, spec := range all.Machines {
			on := newDriver(host, spec)
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
