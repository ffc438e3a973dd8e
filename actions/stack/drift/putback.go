package drift

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"strata/internal/kube/apiserver"
)

// putBackLimit bounds PutBack. The kinds and webhooks of a resource's objects may be missing until
// other objects are put back.
const putBackLimit = 2 * time.Minute

// PutBack applies the objects of a resource that differ, by the same request that compared them. It
// skips differences with a reason in Kept, and does nothing for a resource without objects.
// Workloads that lost an object are restarted first: if the update is killed before the apply, the
// next update finds the object missing again, and their new Pods wait for it. Workloads that
// started with a changed object are restarted last, so that their new Pods read the right one.
func (r *Report) PutBack(ctx context.Context, resource string) error {
	ctx, cancel := context.WithTimeout(ctx, putBackLimit)
	defer cancel()
	if slices.ContainsFunc(r.broken, func(one release) bool { return one.resource == resource }) {
		return r.RecordReleases(ctx)
	}
	var differing []Difference
	for _, one := range r.Differences {
		if one.Resource == resource && one.Kept == "" && one.object != nil {
			differing = append(differing, one)
		}
	}
	err := r.restart(ctx, resource, func(_ context.Context, one *wanted) (bool, error) {
		return slices.ContainsFunc(differing, one.startedWith), nil
	})
	if err != nil {
		return err
	}
	for _, one := range differing {
		if err := r.cluster.putBack(ctx, one.object, one.added); err != nil {
			return fmt.Errorf("put back %s: %w", one.Thing, err)
		}
	}
	return r.restart(ctx, resource, func(ctx context.Context, one *wanted) (bool, error) {
		return r.cluster.hasStartedWithChange(ctx, one, differing)
	})
}

// putBack applies the object, once its kind is served. With added, it also removes the fields that
// were added by kubectl.
func (c *cluster) putBack(ctx context.Context, one *wanted, added bool) error {
	var client dynamic.ResourceInterface
	err := wait.PollUntilContextCancel(ctx, time.Second, true,
		func(ctx context.Context) (_ bool, err error) {
			client, _, err = c.kinds.Client(ctx, one.object, one.namespace)
			return client != nil, err
		})
	if err != nil {
		return fmt.Errorf("its kind %s is not served: %w", one.object.GetKind(), err)
	}
	return apiserver.Insist(ctx, func(ctx context.Context) error {
		if added {
			err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
				return one.takeOver(ctx, client)
			})
			if err != nil {
				return err
			}
		}
		_, err := client.Apply(ctx, one.object.GetName(), one.object,
			metav1.ApplyOptions{FieldManager: one.manager, Force: true})
		return err
	})
}
