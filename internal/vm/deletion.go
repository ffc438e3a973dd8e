package vm

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deletion is the deletion of all machines of a stack. It travels as JSON on stdin.
type Deletion struct {
	// Machines are all of them, on one hypervisor.
	Machines []Spec `json:"machines"`
	// Timeout bounds the answer.
	Timeout metav1.Duration `json:"timeout"`
}

// MarkForDeletion marks all machines that are whole: their stack is about to delete them.
func MarkForDeletion(ctx context.Context, all Deletion, secrets Secrets) error {
	_, err := all.sign(ctx, secrets, stateToDelete, func(m Mark) bool { return m.State == stateMade })
	return err
}

// Keep takes MarkForDeletion back.
func Keep(ctx context.Context, all Deletion, secrets Secrets) error {
	_, err := all.sign(ctx, secrets, stateMade, func(m Mark) bool { return m.State == stateToDelete })
	return err
}

// MarkForReplacement has the machines that are marked for deletion still made anew, and returns their names: a deletion of all has begun and broken off, and what
// is left of them is half a cluster that no state knows any more.
func MarkForReplacement(ctx context.Context, all Deletion, secrets Secrets) ([]string, error) {
	return all.sign(ctx, secrets, stateDeleting, func(m Mark) bool { return m.State == stateToDelete })
}

// sign gives each machine whose mark is one of those its new state, and returns the names of those.
func (d Deletion) sign(ctx context.Context, secrets Secrets, state string, those func(Mark) bool) (names []string, err error) {
	if len(d.Machines) == 0 {
		return nil, nil
	}
	err = onHost(ctx, d.Machines[0], secrets, func(host Host) error {
		for _, spec := range d.Machines {
			driver := newDriver(host, spec)
			have, err := driver.find(ctx)
			if err == nil && have != nil && those(have.Mark) {
				names = append(names, spec.Name())
				err = driver.sign(ctx, have, spec.mark(state))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", spec.Name(), err)
			}
		}
		return nil
	})
	return names, err
}
