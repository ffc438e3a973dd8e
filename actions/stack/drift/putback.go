package drift

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
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
// Workloads are restarted first: if the update is killed before the apply, the next update finds
// the object missing again.
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
	if err := r.restart(ctx, resource, differing); err != nil {
		return err
	}
	for _, one := range differing {
		if err := r.cluster.putBack(ctx, one.object, one.added); err != nil {
			return fmt.Errorf("put back %s: %w", one.Thing, err)
		}
	}
	return nil
}

// restart restarts the workloads of a resource that would not work with an object that is put back.
// Their new Pods start once the object exists.
func (r *Report) restart(ctx context.Context, resource string, differing []Difference) error {
	for i := range r.wanted {
		one := r.wanted[i]
		if one.resource != resource || !slices.ContainsFunc(differing, one.startedWith) {
			continue
		}
		client, _, err := r.cluster.kinds.Client(ctx, one.object, one.namespace)
		if err == nil && client != nil {
			patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{%q:%q}}}}}`,
				"kubectl.kubernetes.io/restartedAt", time.Now().UTC().Format(time.RFC3339))
			_, err = client.Patch(ctx, one.object.GetName(), types.StrategicMergePatchType,
				[]byte(patch), metav1.PatchOptions{FieldManager: Manager})
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("restart %s: %w", one.title(true), err)
		}
	}
	return nil
}

// startedWith reports whether the object is a workload whose Pods must restart because a Secret or
// their ServiceAccount was missing. Some controllers, such as Argo CD, write keys into a Secret
// only when they start. A Pod's token contains the UID of its ServiceAccount.
func (w *wanted) startedWith(other Difference) bool {
	if other.Verdict != Missing || w.object.GroupVersionKind().Group != "apps" ||
		w.resolveNamespace() != other.object.resolveNamespace() {
		return false
	}
	account, _, _ := unstructured.NestedString(w.object.Object,
		"spec", "template", "spec", "serviceAccountName")
	kind := other.object.object.GetKind()
	return kind == "Secret" || kind == "ServiceAccount" && account == other.object.object.GetName()
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
