package drift

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"strata/internal/kube/apiserver"
)

// parallel is the number of objects that are compared at the same time.
const parallel = 16

// cluster compares the state's objects with the cluster's objects.
type cluster struct {
	kinds *apiserver.Kinds
	kube  kubernetes.Interface
}

// compareAll compares objects in parallel. It returns the differences in the objects' order, and
// the errors of the objects that could not be compared.
func (c *cluster) compareAll(ctx context.Context, all []wanted) (found []Difference, errs []error) {
	differences, failures := make([]*Difference, len(all)), make([]error, len(all))
	var some errgroup.Group
	some.SetLimit(parallel)
	for i := range all {
		some.Go(func() error {
			differences[i], failures[i] = c.compare(ctx, &all[i])
			return nil
		})
	}
	_ = some.Wait()
	for i := range all {
		switch {
		case failures[i] != nil:
			errs = append(errs, failures[i])
		case differences[i] != nil:
			found = append(found, *differences[i])
		}
	}
	return found, errs
}

// dropScaled removes the object's replicas, if they differ and an autoscaler owns them.
func (c *cluster) dropScaled(
	ctx context.Context, object, live *unstructured.Unstructured,
) error {
	want, set, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
	has, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	if !set || want == has {
		return nil
	}
	scalers, err := c.kube.AutoscalingV2().HorizontalPodAutoscalers(live.GetNamespace()).List(ctx,
		metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("autoscalers: %w", err)
	}
	if slices.ContainsFunc(scalers.Items, func(scaler autoscalingv2.HorizontalPodAutoscaler) bool {
		of := scaler.Spec.ScaleTargetRef
		return of.Kind == live.GetKind() && of.Name == live.GetName()
	}) {
		unstructured.RemoveNestedField(object.Object, "spec", "replicas")
	}
	return nil
}
