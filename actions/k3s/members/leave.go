package members

import (
	"context"
	"fmt"
)

// Leave removes members from the cluster, one after the other. It removes no member if a volume
// would be lost on a node that is not in discardVolumesOf.
func (r *Remover) Leave(ctx context.Context, left []Member, discardVolumesOf []string) error {
	left, err := r.DeadFirst(ctx, left)
	if err != nil {
		return err
	}
	if err := r.KeepsVolumes(ctx, left, discardVolumesOf); err != nil {
		return err
	}
	for _, member := range left {
		if err := r.Remove(ctx, member); err != nil {
			return fmt.Errorf("remove %s: %w", member.Name, err)
		}
	}
	return nil
}
