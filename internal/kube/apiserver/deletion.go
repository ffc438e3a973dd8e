package apiserver

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	clientwatch "k8s.io/client-go/tools/watch"
)

// AwaitDeletion waits until the selectors of only match no object. If ctx ends first, it returns an
// error and the finalizers of the remaining objects by name.
func AwaitDeletion(
	ctx context.Context, client dynamic.Interface, kind schema.GroupVersionResource,
	only metav1.ListOptions,
) (map[string][]string, error) {
	left := map[string][]string{}
	_, err := clientwatch.UntilWithSync(ctx, NewListWatch(client, client.Resource(kind), only),
		&unstructured.Unstructured{},
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
	return left, err
}
