package members

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/internal/kube/apiserver"
)

// Leave takes members that left out of the cluster, one after the other. config reaches the
// cluster; its server may be the one that is gone.
func (r *Remover) Leave(
	ctx context.Context, config *rest.Config, left []Member, discardVolumesOf []string,
) (err error) {
	if r.Client, err = kubernetes.NewForConfig(apiserver.Failover(config, Addresses(r.Servers))); err != nil {
		return err
	}
	if left, err = r.DeadFirst(ctx, left); err != nil {
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
