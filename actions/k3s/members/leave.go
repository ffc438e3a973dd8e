package members

import (
	"context"
	"fmt"
)

// Leave removes members from the cluster, one after the other. It removes none if a volume would be
// lost that discardVolumesOf does not allow.
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
