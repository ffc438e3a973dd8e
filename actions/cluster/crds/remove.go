package crds

import (
	"context"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

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
		if left, err := apiserver.AwaitDeletion(ctx, client, resource, selector); err != nil {
			return fmt.Errorf("not gone (finalizers): %v; an object of such a kind has a finalizer "+
				"whose controller does not run, see kubectl get KIND -A: %w", left, err)
		}
		removed += len(found.Items)
	}
	_, err := fmt.Fprintf(log, "%s: %d objects removed\n", bundle, removed)
	return err
}
