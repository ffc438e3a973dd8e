package apiserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
)

// Kinds finds the clients of objects by their kinds, as an API server serves them. It caches the
// kinds of an apiVersion, and asks again for a kind that is not among them. It is safe for
// concurrent use.
type Kinds struct {
	objects   dynamic.Interface
	discovery discovery.DiscoveryInterface
	mutex     sync.Mutex
	served    map[string][]metav1.APIResource
}

// NewKinds returns the Kinds of a cluster. It sends no request.
func NewKinds(objects dynamic.Interface, discovery discovery.DiscoveryInterface) *Kinds {
	return &Kinds{objects: objects, discovery: discovery,
		served: map[string][]metav1.APIResource{}}
}

// Client returns the client for an object's kind, and whether the kind has namespaces. The client
// is nil while the API server does not serve the kind, because no object of the kind exists then.
// An object without a namespace is in the given one, if its kind has namespaces.
func (k *Kinds) Client(
	ctx context.Context, object *unstructured.Unstructured, namespace string,
) (client dynamic.ResourceInterface, namespaced bool, err error) {
	version, kind := object.GroupVersionKind().ToAPIVersionAndKind()
	served, err := k.find(ctx, version, kind)
	if err != nil || served == nil {
		return nil, false, err
	}
	all := k.objects.Resource(object.GroupVersionKind().GroupVersion().WithResource(served.Name))
	if !served.Namespaced {
		return all, false, nil
	}
	return all.Namespace(cmp.Or(object.GetNamespace(), namespace)), true, nil
}

// find returns the resource of a kind; nil if the API server does not serve it.
func (k *Kinds) find(ctx context.Context, version, kind string) (*metav1.APIResource, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	matches := func(one metav1.APIResource) bool {
		return one.Kind == kind && !strings.Contains(one.Name, "/") // no subresource, as pods/log
	}
	if i := slices.IndexFunc(k.served[version], matches); i >= 0 {
		return &k.served[version][i], nil
	}
	list, err := Ask(ctx, func(context.Context) (*metav1.APIResourceList, error) {
		return k.discovery.ServerResourcesForGroupVersion(version)
	})
	switch {
	case apierrors.IsNotFound(err): // the group or version is not served
		return nil, nil //nolint:nilnil // no resource
	case err != nil:
		return nil, fmt.Errorf("kinds of %s: %w", version, err)
	}
	k.served[version] = list.APIResources
	if i := slices.IndexFunc(list.APIResources, matches); i >= 0 {
		return &list.APIResources[i], nil
	}
	return nil, nil //nolint:nilnil // no resource
}
