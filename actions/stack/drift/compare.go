package drift

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"strata/internal/kube/apiserver"
)

// Manager is the field manager with which objects of charts are compared and put back: Helm writes
// them by updates, which have no server-side apply.
const Manager = "strata-drift"

// compare returns the difference between the wanted object and the cluster's; nil if there is none.
// It asks the API server to apply the object as a dry run, so that defaults and admission webhooks
// count as in an update.
func (c *cluster) compare(ctx context.Context, one *wanted) (*Difference, error) {
	client, namespaced, err := c.kinds.Client(ctx, one.object, one.namespace)
	found := &Difference{Resource: one.resource, Thing: one.title(namespaced), Verdict: Missing,
		object: one}
	if err != nil || client == nil {
		return found, err // without its CRD, the object is gone, too
	}
	live, err := apiserver.Ask(ctx, func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Get(ctx, one.object.GetName(), metav1.GetOptions{})
	})
	switch {
	case apierrors.IsNotFound(err):
		return found, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", found.Thing, err)
	}
	found.Verdict, found.changed = Changed, newestOf(live.GetManagedFields())
	if leaving := live.GetDeletionTimestamp(); leaving != nil {
		found.Evidence = "is being deleted since " + leaving.UTC().Format("15:04:05")
		found.Kept = "run up again when it is gone"
		return found, nil
	}
	if err := c.dropScaled(ctx, one.object, live); err != nil {
		return nil, fmt.Errorf("%s: %w", found.Thing, err)
	}
	added, _ := one.findAdded(live)
	if len(added) == 0 && contains(live.Object, one.object.Object) {
		return nil, nil //nolint:nilnil // the same text: the API server need not be asked
	}
	applied, err := one.try(ctx, client, true)
	switch {
	case apierrors.IsInvalid(err):
		for _, cause := range apiserver.Causes(err) { // the error's text may quote a secret
			found.Fields = append(found.Fields, cause.Field)
		}
		found.Evidence = "the API server refuses its former content"
		found.Kept = "delete it, and the next up makes it anew"
		return found, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", found.Thing, err)
	}
	added, by := one.findAdded(applied)
	found.added = len(added) > 0
	found.Fields = append(findChanged("", one.object.Object, live.Object, applied.Object), added...)
	if len(found.Fields) == 0 {
		return nil, nil //nolint:nilnil // no difference
	}
	_, err = one.try(ctx, client, false)
	found.addManagers(err, live.GetManagedFields(), by)
	return found, nil
}

// try returns the result of an apply of the object, as a dry run. It does not retry while an
// admission webhook does not answer.
func (w *wanted) try(
	ctx context.Context, client dynamic.ResourceInterface, force bool,
) (*unstructured.Unstructured, error) {
	return client.Apply(ctx, w.object.GetName(), w.object, metav1.ApplyOptions{
		FieldManager: w.manager, Force: force, DryRun: []string{metav1.DryRunAll}})
}
