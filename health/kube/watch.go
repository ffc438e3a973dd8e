package kube

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"strata/health/observe"
)

const (
	// rewatch is the pause before a failed watch is opened again. It is short, because the API
	// server or the resource's CRD may appear at any moment.
	rewatch = 100 * time.Millisecond
	// watchSeconds is the server's timeout for a watch, so that no watch outlives its client for
	// long.
	watchSeconds = int64(300)
)

// Source is a set of objects whose changes trigger an observation.
type Source struct {
	Resource  schema.GroupVersionResource
	Namespace string
	// Name, if set, restricts the set to one object, and Labels to the objects of a label selector.
	Name   string
	Labels string
}

// Follow signals changed whenever an object of the sources changes, until ctx ends. It does not
// pass on the changed object: each observation reads all facts again. So a stale or broken watch
// can delay a verdict but not make it wrong.
func (c *Cluster) Follow(ctx context.Context, changed chan<- struct{}, sources []Source) {
	var watches sync.WaitGroup
	for _, s := range sources {
		watches.Go(func() { c.followOne(ctx, changed, s) })
	}
	watches.Wait()
}

func (c *Cluster) followOne(ctx context.Context, changed chan<- struct{}, s Source) {
	options := metav1.ListOptions{LabelSelector: s.Labels}
	if s.Name != "" {
		options.FieldSelector = "metadata.name=" + s.Name
	}
	seconds := watchSeconds
	options.TimeoutSeconds = &seconds
	for index := int(c.good.Load()); ctx.Err() == nil; {
		server := c.Servers[index%len(c.Servers)]
		events, err := server.Dyn.Resource(s.Resource).Namespace(s.Namespace).Watch(ctx, options)
		if err == nil {
			drain(ctx, events, changed)
		} else {
			index++
		}
		observe.Signal(changed)
		observe.Pause(ctx, rewatch)
	}
}

func drain(ctx context.Context, events watch.Interface, changed chan<- struct{}) {
	defer events.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-events.ResultChan():
			if !open {
				return
			}
			observe.Signal(changed)
		}
	}
}
