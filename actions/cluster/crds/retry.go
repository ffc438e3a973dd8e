package crds

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

const (
	// retryPause is the pause between two retries.
	retryPause = 5 * time.Second
	// retried is the annotation that a retry sets.
	retried = "strata/deletion-retried"
)

// Retry makes the API server retry the deletion of the selected CRDs at once. The deletion fails
// while the server fills its cache for a new kind ("could not list instances: storage is
// (re)initializing"). The server then retries with exponential backoff of up to a quarter of an
// hour. A change of the CRD, here of an annotation, skips that backoff
// (k8s.io/apiextensions-apiserver/pkg/controller/finalizer, CRDFinalizer.sync).
func Retry(ctx context.Context, client dynamic.Interface, selector metav1.ListOptions) error {
	found, err := client.Resource(definitions).List(ctx, selector)
	if err != nil {
		return fmt.Errorf("list definitions: %w", err)
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"annotations": map[string]string{
			retried: time.Now().UTC().Format(time.RFC3339Nano)}}})
	if err != nil {
		return err
	}
	for _, object := range found.Items {
		if object.GetDeletionTimestamp() == nil {
			continue
		}
		_, err := client.Resource(definitions).Patch(ctx, object.GetName(), types.MergePatchType,
			patch, metav1.PatchOptions{FieldManager: "strata"})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("retry the deletion of %s: %w", object.GetName(), err)
		}
	}
	return nil
}

// retryPeriodically calls Retry until ctx is done. It ignores errors, because remove, which runs in
// parallel, reports the objects that remain.
func retryPeriodically(ctx context.Context, client dynamic.Interface, selector metav1.ListOptions) {
	_ = wait.PollUntilContextCancel(ctx, retryPause, false,
		func(ctx context.Context) (bool, error) {
			_ = Retry(ctx, client, selector)
			return false, nil
		})
}
