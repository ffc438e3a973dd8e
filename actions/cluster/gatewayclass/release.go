package gatewayclass

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"strata/internal/kube/apiserver"
	"strata/internal/kube/conflict"
)

// patience is the time that a running controller gets to remove its finalizer. The controller's
// watch reports the deletion at once.
const patience = 10 * time.Second

var (
	classes = schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1",
		Resource: "gatewayclasses"}
	gateways = schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1",
		Resource: "gateways"}
)

// release deletes a GatewayClass, and removes the finalizer if it is still there after patience. It
// fails while a Gateway uses the class, because the finalizer protects that Gateway. A missing
// class is no error.
func release(
	ctx context.Context, client dynamic.Interface, name, finalizer string, log io.Writer,
) error {
	if err := checkUnused(ctx, client, name); err != nil {
		return err
	}
	err := client.Resource(classes).Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete gatewayclass %s: %w", name, err)
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	held, err := awaitDeletion(waiting, client, name)
	if err == nil || ctx.Err() != nil || len(held) == 0 {
		return err
	}
	if !slices.Contains(held, finalizer) {
		return fmt.Errorf("gatewayclass %s is held by %s, which is not %s; kubectl get "+
			"gatewayclass %s -o yaml says whose they are",
			name, strings.Join(held, ", "), finalizer, name)
	}
	if _, err := fmt.Fprintf(log, "gatewayclass %s: no controller took %s away in %s; "+
		"taking it away\n", name, finalizer, patience); err != nil {
		return err
	}
	if err := strip(ctx, client, name, finalizer); err != nil {
		return err
	}
	if held, err = awaitDeletion(ctx, client, name); err != nil {
		return fmt.Errorf("gatewayclass %s is still held by %s: %w", name,
			strings.Join(held, ", "), err)
	}
	return nil
}

// checkUnused returns an error if a Gateway uses the class.
func checkUnused(ctx context.Context, client dynamic.Interface, name string) error {
	all, err := client.Resource(gateways).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil // the kind is not served, so there are no Gateways
	}
	if err != nil {
		return fmt.Errorf("list gateways: %w", err)
	}
	var users []string
	for _, one := range all.Items {
		if class, _, _ := unstructured.NestedString(one.Object, "spec",
			"gatewayClassName"); class == name {
			users = append(users, one.GetNamespace()+"/"+one.GetName())
		}
	}
	if len(users) > 0 {
		return fmt.Errorf("gatewayclass %s: expected no Gateway of it, found %s; delete them first",
			name, strings.Join(users, ", "))
	}
	return nil
}

// awaitDeletion waits until the class is gone. If ctx ends first, it returns an error and the
// class's finalizers.
func awaitDeletion(ctx context.Context, client dynamic.Interface, name string) ([]string, error) {
	left, err := apiserver.AwaitDeletion(ctx, client, classes,
		metav1.SingleObject(metav1.ObjectMeta{Name: name}))
	if err != nil {
		return left[name], fmt.Errorf("gatewayclass %s is still there: %w", name,
			cmp.Or(ctx.Err(), err))
	}
	return nil, nil
}

// strip removes one finalizer, and retries after a conflict.
func strip(ctx context.Context, client dynamic.Interface, name, finalizer string) error {
	err := conflict.Retry(retry.DefaultBackoff, func() error {
		object, err := client.Resource(classes).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.SetFinalizers(slices.DeleteFunc(object.GetFinalizers(),
			func(one string) bool { return one == finalizer }))
		_, err = client.Resource(classes).Update(ctx, object, metav1.UpdateOptions{})
		return err
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("take %s away from gatewayclass %s: %w", finalizer, name, err)
	}
	return nil
}
