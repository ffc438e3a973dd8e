package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"strata/tests/lab/tools/apisix/adc"
	"strata/tests/lab/tools/apisix/delays"
)

// retryFirst and retryLast bound the pause before a refused configuration is sent again: each
// failure in a row doubles it (internal/provider/apisix/provider.go: RetryBaseDelay,
// RetryMaxDelay). syncPeriod is the pause without a failure.
const (
	retryFirst = time.Second
	retryLast  = 1000 * time.Second
	syncPeriod = time.Minute
)

// controller keeps the data plane as the objects say, and the objects' status as it is.
type controller struct {
	client  dynamic.Interface
	stores  map[schema.GroupVersionResource]cache.Store
	synced  []cache.InformerSynced
	start   func(<-chan struct{})
	changed chan struct{}
	// portMatch is listener_port_match_mode. sidecar leads to ADC, and rebuilt is true once that
	// knows the data plane's configuration.
	portMatch string
	sidecar   *http.Client
	rebuilt   bool
	// last are the services as they were sent, by id.
	last map[string]adc.Service
}

type object = *unstructured.Unstructured

func newController(client dynamic.Interface, served []kind) *controller {
	c := &controller{client: client, stores: map[schema.GroupVersionResource]cache.Store{},
		changed: make(chan struct{}, 1), last: map[string]adc.Service{}}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	c.start = factory.Start
	tell := func(any) {
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
	for _, one := range served {
		informer := factory.ForResource(one.resource).Informer()
		c.stores[one.resource] = informer.GetStore()
		registered, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: tell, UpdateFunc: func(_, now any) { tell(now) }, DeleteFunc: tell,
		})
		if err != nil {
			panic(err) // only a stopped informer refuses
		}
		c.synced = append(c.synced, registered.HasSynced)
	}
	return c
}

// run reconciles after every change, and again for as long as something is left to do.
func (c *controller) run(ctx context.Context) error {
	c.start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		return ctx.Err()
	}
	again, periodic, pause := time.NewTimer(0), time.NewTicker(syncPeriod), retryFirst
	defer periodic.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.changed:
		case <-again.C:
		case <-periodic.C:
		}
		// Statuses at once, the data plane after the time of a run of ADC.
		err := c.statuses(ctx)
		if c.wait(ctx) {
			err = errors.Join(err, c.send(ctx))
		}
		if err == nil {
			pause = retryFirst
			again.Stop()
			continue
		}
		fmt.Println("reconcile:", err)
		again.Reset(pause)
		pause = min(2*pause, retryLast)
	}
}

// wait passes the time of one run of ADC.
func (c *controller) wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(delays.Sync()):
		return true
	}
}

// all returns the objects of a kind; none if no API server serves it.
func (c *controller) all(resource schema.GroupVersionResource) []object {
	store := c.stores[resource]
	if store == nil {
		return nil
	}
	var found []object
	for _, item := range store.List() {
		if one, ok := item.(object); ok {
			found = append(found, one)
		}
	}
	return found
}

// get returns one object, or nil.
func (c *controller) get(resource schema.GroupVersionResource, namespace, name string) object {
	store := c.stores[resource]
	if store == nil {
		return nil
	}
	key := name
	if namespace != "" {
		key = namespace + "/" + name
	}
	item, found, err := store.GetByKey(key)
	if err != nil || !found {
		return nil
	}
	one, _ := item.(object)
	return one
}

// text returns a text field of an object; empty where there is none.
func text(o object, path ...string) string {
	value, _, _ := unstructured.NestedString(o.Object, path...)
	return value
}

// list returns the objects of a list field.
func list(from map[string]any, path ...string) []map[string]any {
	values, _, _ := unstructured.NestedSlice(from, path...)
	var found []map[string]any
	for _, value := range values {
		if one, ok := value.(map[string]any); ok {
			found = append(found, one)
		}
	}
	return found
}

// texts returns the texts of a list field.
func texts(from map[string]any, path ...string) []string {
	values, _, _ := unstructured.NestedStringSlice(from, path...)
	return values
}
