package drift

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"

	"strata/internal/kube/apiserver"
)

// putBackLimit bounds the return of a resource's objects. Their kinds and webhooks may be missing
// until other objects are back.
const putBackLimit = 2 * time.Minute

// PutBack applies the objects of a resource that differ, by the same request that compared them. It
// leaves those with a reason in Kept, and does nothing for a resource without objects.
func (r *Report) PutBack(ctx context.Context, resource string) error {
	ctx, cancel := context.WithTimeout(ctx, putBackLimit)
	defer cancel()
	for _, one := range r.lost {
		if one.resource == resource {
			return r.cluster.record(ctx, one)
		}
	}
	var lost []*wanted
	for _, difference := range r.Differences {
		one := difference.object
		if difference.Resource != resource || difference.Kept != "" || one == nil {
			continue
		}
		if err := r.cluster.putBack(ctx, one); err != nil {
			return fmt.Errorf("put back %s: %w", difference.Thing, err)
		}
		if difference.Verdict == Missing {
			lost = append(lost, one)
		}
	}
	return r.restart(ctx, resource, lost)
}

// restart restarts the workloads of a resource that do not work with an object that was put back.
func (r *Report) restart(ctx context.Context, resource string, lost []*wanted) error {
	for i := range r.wanted {
		one := r.wanted[i]
		if one.resource != resource || !slices.ContainsFunc(lost, one.startedWith) {
			continue
		}
		client, _, err := r.cluster.kinds.Client(ctx, one.object, one.namespace)
		if err == nil && client != nil {
			patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{%q:%q}}}}}`,
				"kubectl.kubernetes.io/restartedAt", time.Now().UTC().Format(time.RFC3339))
			_, err = client.Patch(ctx, one.object.GetName(), types.StrategicMergePatchType,
				[]byte(patch), metav1.PatchOptions{FieldManager: Manager})
		}
		if err != nil {
			return fmt.Errorf("restart %s: %w", one.title(true), err)
		}
	}
	return nil
}

// startedWith reports whether the object is a workload whose Pods need another object as it was at
// their start. A controller may have written keys into a Secret that it generates only at its start,
// as Argo CD does. The token of a Pod names the UID of its ServiceAccount.
func (w *wanted) startedWith(other *wanted) bool {
	if w.object.GroupVersionKind().Group != "apps" || w.within() != other.within() {
		return false
	}
	account, _, _ := unstructured.NestedString(w.object.Object,
		"spec", "template", "spec", "serviceAccountName")
	kind := other.object.GetKind()
	return kind == "Secret" || kind == "ServiceAccount" && account == other.object.GetName()
}

// putBack applies the object, once its kind is served.
func (c *cluster) putBack(ctx context.Context, one *wanted) error {
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
		_, err := client.Apply(ctx, one.object.GetName(), one.object,
			metav1.ApplyOptions{FieldManager: one.manager, Force: true})
		return err
	})
}
