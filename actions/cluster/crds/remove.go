package crds

import (
	"context"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	clientwatch "k8s.io/client-go/tools/watch"

	"strata/internal/kube/apiserver"
)

// remove takes a bundle's objects out of the cluster, found by their label, and with each
// definition every object of its kind. It returns when they are gone; ctx bounds the wait, which a
// finalizer can hold for ever.
func remove(ctx context.Context, client dynamic.Interface, bundle string, log io.Writer) error {
	selector := metav1.ListOptions{LabelSelector: BundleLabel + "=" + bundle}
	removed := 0
	waiting, done := context.WithCancel(ctx)
	defer done()
	go retryPeriodically(waiting, client, selector)
	for _, resource := range []schema.GroupVersionResource{policyBindings, policies, definitions} {
		found, err := client.Resource(resource).List(ctx, selector)
		if err != nil {
			return fmt.Errorf("list %s of %s: %w", resource.Resource, bundle, err)
		}
		var failures []error
		for _, object := range found.Items {
			err := client.Resource(resource).Delete(ctx, object.GetName(), metav1.DeleteOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				failures = append(failures,
					fmt.Errorf("delete %s %s: %w", object.GetKind(), object.GetName(), err))
			}
		}
		if err := errors.Join(failures...); err != nil {
			return err
		}
		if err := awaitRemoved(ctx, client, resource, selector); err != nil {
			return err
		}
		removed += len(found.Items)
	}
	_, err := fmt.Fprintf(log, "%s: %d objects removed\n", bundle, removed)
	return err
}

// awaitRemoved waits until no object is selected any more.
func awaitRemoved(
	ctx context.Context, client dynamic.Interface, kind schema.GroupVersionResource,
	selector metav1.ListOptions,
) error {
	lister := apiserver.NewListWatch(client, client.Resource(kind), selector)
	left := map[string][]string{} // by name, what holds it
	_, err := clientwatch.UntilWithSync(ctx, lister, &unstructured.Unstructured{},
		func(store cache.Store) (bool, error) {
			for _, item := range store.List() {
				if object, ok := item.(*unstructured.Unstructured); ok {
					left[object.GetName()] = object.GetFinalizers()
				}
			}
			return len(left) == 0, nil
		}, func(event watch.Event) (bool, error) {
			object, ok := event.Object.(*unstructured.Unstructured)
			switch {
			case !ok:
			case event.Type == watch.Deleted:
				delete(left, object.GetName())
			default:
				left[object.GetName()] = object.GetFinalizers()
			}
			return len(left) == 0, nil
		})
	if err != nil {
		return fmt.Errorf("not gone (finalizers): %v; an object of such a kind has a finalizer "+
			"whose controller does not run, see kubectl get KIND -A: %w", left, err)
	}
	return nil
}
