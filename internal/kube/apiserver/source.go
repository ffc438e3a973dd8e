package apiserver

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// Lists is a client's interface for one kind of object, to list and watch.
type Lists[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// List lists objects, and retries as Insist does.
func List[L runtime.Object](
	ctx context.Context, objects Lists[L], options metav1.ListOptions,
) (L, error) {
	return Ask(ctx, func(ctx context.Context) (L, error) { return objects.List(ctx, options) })
}

// NewListWatch lists and watches the objects that match the selectors of only. It is for a wait
// that continues when its watch ends, as watches do when etcd loses its leader. client is the
// client that objects was taken from: it decides whether a watch can begin with a stream of the
// existing objects (k8s.io/client-go tools/cache/listwatch.go,
// ToListWatcherWithWatchListSemantics).
func NewListWatch[L runtime.Object](
	client any, objects Lists[L], only metav1.ListOptions,
) cache.ListerWatcher {
	narrow := func(options metav1.ListOptions) metav1.ListOptions {
		options.LabelSelector, options.FieldSelector = only.LabelSelector, only.FieldSelector
		return options
	}
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(
			ctx context.Context, options metav1.ListOptions,
		) (runtime.Object, error) {
			return objects.List(ctx, narrow(options))
		},
		WatchFuncWithContext: func(ctx context.Context,
			options metav1.ListOptions) (watch.Interface, error) {
			return objects.Watch(ctx, narrow(options))
		},
	}, client)
}
