package health

import (
	"context"
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	// rewatch is the pause before a watch that failed is opened again: short, because at that moment the API server or the
	// resource's CRD is about to appear.
	rewatch = 100 * time.Millisecond
	// watchSeconds ends a watch on the server's side, so that none outlives a forgotten client.
	watchSeconds = int64(300)
)

// relook is how often a look is repeated although no watch reported a change. It bounds what a watch on a dead connection can hide.
const relook = time.Second

// source is a set of objects whose changes are a reason to look again.
type source struct {
	resource  schema.GroupVersionResource
	namespace string
	// name, if set, narrows the set to one object, labels to a label selector.
	name   string
	labels string
}

// follow signals changed whenever an object of the sources changes, until ctx ends. A watch is a reason to look and never
// an observation: what a verdict rests on is read anew, so a stale or broken watch can delay a verdict but not falsify it.
func (c *cluster) follow(ctx context.Context, changed chan<- struct{}, sources []source) {
	var watches sync.WaitGroup
	for _, s := range sources {
		watches.Go(func() { c.followOne(ctx, changed, s) })
	}
	watches.Wait()
}

func (c *cluster) followOne(ctx context.Context, changed chan<- struct{}, s source) {
	options := metav1.ListOptions{LabelSelector: s.labels}
	if s.name != "" {
		options.FieldSelector = "metadata.name=" + s.name
	}
	seconds := watchSeconds
	options.TimeoutSeconds = &seconds
	for index := int(c.good.Load()); ctx.Err() == nil; {
		server := c.servers[index%len(c.servers)]
		events, err := server.dyn.Resource(s.resource).Namespace(s.namespace).Watch(ctx, options)
		if err == nil {
			drain(ctx, events, changed)
		} else {
			index++
		}
		signal(changed)
		pause(ctx, rewatch)
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
			signal(changed)
		}
	}
}

// signal asks for a look; one that is already asked for is enough.
func signal(changed chan<- struct{}) {
	select {
	case changed <- struct{}{}:
	default:
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// looks calls look at once, after every change and every relook, until ctx ends, and reports verdicts that differ from
// the ones before.
func looks(ctx context.Context, changed <-chan struct{}, every time.Duration, look func(context.Context) []Verdict, report func([]Verdict)) {
	report = changesOnly(report)
	again(ctx, changed, every, func(ctx context.Context) {
		if verdicts := look(ctx); ctx.Err() == nil {
			report(verdicts)
		}
	})
}

// again calls act at once, after every change and every interval, until ctx ends.
func again(ctx context.Context, changed <-chan struct{}, every time.Duration, act func(context.Context)) {
	for ctx.Err() == nil {
		act(ctx)
		timer := time.NewTimer(every)
		select {
		case <-ctx.Done():
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// observe follows the sources and looks whenever they change, until ctx ends.
func (c *cluster) observe(ctx context.Context, sources []source, look func(context.Context) []Verdict, report func([]Verdict)) {
	changed := make(chan struct{}, 1)
	var follower sync.WaitGroup
	follower.Go(func() { c.follow(ctx, changed, sources) })
	looks(ctx, changed, relook, look, report)
	follower.Wait()
}

// changesOnly hands on verdicts that differ from the ones before.
func changesOnly(report func([]Verdict)) func([]Verdict) {
	var last []Verdict
	return func(verdicts []Verdict) {
		if !reflect.DeepEqual(verdicts, last) {
			last = verdicts
			report(verdicts)
		}
	}
}

// reportNews judges whenever there is news, until ctx ends, and hands on what changed; judge returns nil while it knows nothing.
func reportNews(ctx context.Context, news <-chan struct{}, judge func() []Verdict, report func([]Verdict)) {
	report = changesOnly(report)
	for {
		select {
		case <-ctx.Done():
			return
		case <-news:
		}
		if verdicts := judge(); verdicts != nil {
			report(verdicts)
		}
	}
}
