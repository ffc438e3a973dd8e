package await

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"strata/tests/lab/plugins/kubernetes/cluster"
)

// retryWatch is the rest of a broken watch before it is opened again, and the pause between looks
// at related objects without an event of the object.
const retryWatch = 500 * time.Millisecond

// view is an object under observation and the way to what belongs to it.
type view struct {
	cluster *cluster.Cluster
	object  *unstructured.Unstructured
	gone    bool
	// settled is since when what belongs to the object has its version.
	settled time.Time
	version string
	// once is a single look, of a refresh.
	once bool
	// enough accepts an object when time is up, and in a single look.
	enough bool
	// doing is the status line, if it is not the first reason.
	doing string
}

func newView(c *cluster.Cluster, object *unstructured.Unstructured) *view {
	return &view{cluster: c, object: object}
}

// line is the status line of a check that did not hold.
func (v *view) line(reasons []string) string {
	if v.doing == "" && len(reasons) > 0 {
		return reasons[0]
	}
	return v.doing
}

func (v *view) apply(event watch.Event) {
	object, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	if event.Type == watch.Deleted {
		v.gone = true
	}
	if object.GetUID() == v.object.GetUID() {
		v.object = object
	}
}

// watch delivers the object's events, the first at once, and an empty event
// every retryWatch so that rules look at related objects as well. It ends with
// the context.
func (v *view) watch(ctx context.Context) <-chan watch.Event {
	events := make(chan watch.Event)
	name, like := v.object.GetName(), v.object.DeepCopy()
	go func() {
		for ctx.Err() == nil {
			follow(ctx, v.cluster, like, name, events)
			send(ctx, events, watch.Event{})
		}
	}()
	return events
}

func follow(
	ctx context.Context, c *cluster.Cluster, like *unstructured.Unstructured, name string, to chan<- watch.Event,
) {
	pause, stop := context.WithTimeout(ctx, retryWatch)
	defer stop()
	client, err := c.Client(like)
	if err != nil {
		<-pause.Done()
		return
	}
	watcher, err := client.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		<-pause.Done()
		return
	}
	defer watcher.Stop()
	tick := time.NewTicker(retryWatch)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-watcher.ResultChan():
			if !open || event.Type == watch.Error {
				<-pause.Done()
				return
			}
			send(ctx, to, event)
		case <-tick.C:
			send(ctx, to, watch.Event{})
		}
	}
}

func send(ctx context.Context, to chan<- watch.Event, event watch.Event) {
	select {
	case to <- event:
	case <-ctx.Done():
	}
}

// list returns the objects of a kind in the object's namespace that a label
// selector matches; none where they cannot be listed.
func (v *view) list(ctx context.Context, resource schema.GroupVersionResource, selector string) []unstructured.Unstructured {
	found, err := v.cluster.Dynamic.Resource(resource).Namespace(v.object.GetNamespace()).
		List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil
	}
	return found.Items
}
