package vm

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Departure is the question about all machines of a stack. It travels as JSON on stdin.
type Departure struct {
	// Machines are all of them.
	Machines []Spec `json:"machines"`
	// Timeout bounds the answer.
	Timeout metav1.Duration `json:"timeout"`
}

// Condemn marks all machines: their stack is about to delete them.
func Condemn(ctx context.Context, all Departure, secrets Secrets) error {
	_, err := all.sign(ctx, secrets, stateCondemned, func(m Mark) bool { return m.State == stateMade })
	return err
}

// Spare takes Condemn back.
func Spare(ctx context.Context, all Departure, secrets Secrets) error {
	_, err := all.sign(ctx, secrets, stateMade, func(m Mark) bool { return m.State == stateCondemned })
	return err
}

// Doom marks the machines that are condemned still as leaving, and returns their names: a deletion of all has begun and broken off, and what
// is left of them is half a cluster that no state knows any more.
func Doom(ctx context.Context, all Departure, secrets Secrets) ([]string, error) {
	return all.sign(ctx, secrets, stateLeaving, func(m Mark) bool { return m.State == stateCondemned })
}

// sign gives each machine whose mark is one of those its new state, and returns the names of those.
func (d Departure) sign(ctx context.Context, secrets Secrets, state string, those func(Mark) bool) (names []string, err error) {
	for _, spec := range d.Machines {
		err := on(ctx, spec, secrets, func(d driver) error {
			have, err := d.find(ctx)
			if err != nil || have == nil || !those(have.Mark) {
				return err
			}
			names = append(names, spec.Name())
			return d.sign(ctx, have, spec.mark(state))
		})
		if err != nil {
			return names, fmt.Errorf("%s: %w", spec.Name(), err)
		}
	}
	return names, nil
}
