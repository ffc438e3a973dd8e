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

// remove deletes a bundle's objects, which it finds by their label, and returns when they are gone.
// The deletion of a CRD deletes every object of its kind. A finalizer may block the deletion for
// ever, so ctx bounds the wait.
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

// awaitRemoved waits until the selector matches no object.
func awaitRemoved(
	ctx context.Context, client dynamic.Interface, kind schema.GroupVersionResource,
	selector metav1.ListOptions,
) error {
	lister := apiserver.NewListWatch(client, client.Resource(kind), selector)
	left := map[string][]string{} // the finalizers of the remaining objects, by name
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
