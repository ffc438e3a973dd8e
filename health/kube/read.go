package kube

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The resources that gates read.
var (
	NodeResource      = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	NamespaceResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	PodResource       = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	EventResource     = schema.GroupVersionResource{Version: "v1", Resource: "events"}
	SecretResource    = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	ServiceResource   = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	AccountResource   = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	LeaseResource     = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1",
		Resource: "leases"}
	EndpointSliceResource = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1",
		Resource: "endpointslices"}
	deploymentResource = schema.GroupVersionResource{Group: "apps", Version: "v1",
		Resource: "deployments"}
	DaemonSetResource = schema.GroupVersionResource{Group: "apps", Version: "v1",
		Resource: "daemonsets"}
	statefulSetResource = schema.GroupVersionResource{Group: "apps", Version: "v1",
		Resource: "statefulsets"}
	replicaSetResource = schema.GroupVersionResource{Group: "apps", Version: "v1",
		Resource: "replicasets"}
	CRDResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io",
		Version: "v1", Resource: "customresourcedefinitions"}
	ClaimResource = schema.GroupVersionResource{Version: "v1",
		Resource: "persistentvolumeclaims"}
	StorageClassResource = schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1",
		Resource: "storageclasses"}
	// AdvertisementResource has MetalLB's L2Advertisements.
	AdvertisementResource = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1",
		Resource: "l2advertisements"}
	APIServiceResource = schema.GroupVersionResource{Group: "apiregistration.k8s.io",
		Version: "v1", Resource: "apiservices"}
)

// List returns every object of a resource that matches the options. It is consistent: the server
// does not answer from a cache that may lag behind.
func List[T any](ctx context.Context, s *APIServer, resource schema.GroupVersionResource,
	namespace string, options metav1.ListOptions) ([]T, error) {
	found, err := s.Dyn.Resource(resource).Namespace(namespace).List(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", resource.Resource, err)
	}
	items := make([]T, 0, len(found.Items))
	for i := range found.Items {
		item, err := FromUnstructured[T](&found.Items[i])
		if err != nil {
			return nil, err
		}
		items = append(items, *item)
	}
	return items, nil
}

// Get returns one object; nil without an error if it does not exist.
func Get[T any](
	ctx context.Context, s *APIServer, resource schema.GroupVersionResource, namespace, name string,
) (*T, error) {
	found, err := s.Dyn.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get %s %s: %w", resource.Resource, name, err)
	}
	return FromUnstructured[T](found)
}

// FromUnstructured converts an object to type T.
func FromUnstructured[T any](object *unstructured.Unstructured) (*T, error) {
	out := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object,
		out); err != nil {
		return nil, fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return out, nil
}
