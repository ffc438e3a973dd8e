package health

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The resources that gates read.
var (
	nodeResource          = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	podResource           = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	eventResource         = schema.GroupVersionResource{Version: "v1", Resource: "events"}
	secretResource        = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	serviceResource       = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	accountResource       = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	leaseResource         = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	endpointSliceResource = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
	deploymentResource    = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	daemonSetResource     = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"}
	statefulSetResource   = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}
	replicaSetResource    = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}
	crdResource           = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	claimResource         = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
	storageClassResource  = schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}
	apiServiceResource    = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
)

// list reads every object of a resource that matches, into typed items. The list is consistent: it is not served from a
// cache that may lag behind.
func list[T any](ctx context.Context, s *apiServer, resource schema.GroupVersionResource, namespace string, options metav1.ListOptions) ([]T, error) {
	found, err := s.dyn.Resource(resource).Namespace(namespace).List(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", resource.Resource, err)
	}
	items := make([]T, 0, len(found.Items))
	for i := range found.Items {
		item, err := typed[T](&found.Items[i])
		if err != nil {
			return nil, err
		}
		items = append(items, *item)
	}
	return items, nil
}

// get reads one object; nil without an error means that it does not exist.
func get[T any](ctx context.Context, s *apiServer, resource schema.GroupVersionResource, namespace, name string) (*T, error) {
	found, err := s.dyn.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get %s %s: %w", resource.Resource, name, err)
	}
	return typed[T](found)
}

func typed[T any](object *unstructured.Unstructured) (*T, error) {
	out := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, out); err != nil {
		return nil, fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return out, nil
}

// inParallel runs the parts of a look beside one another, and returns the error of the first in their order that has one, so that
// the same trouble always has the same words.
func inParallel(parts ...func() error) error {
	errs := make([]error, len(parts))
	var running sync.WaitGroup
	for i, part := range parts {
		running.Go(func() { errs[i] = part() })
	}
	running.Wait()
	return cmp.Or(errs...)
}
