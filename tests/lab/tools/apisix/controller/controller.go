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

// retryFirst and retryLast are the shortest and the longest pause before a failed sync is repeated.
// Each consecutive failure doubles the pause (internal/provider/apisix/provider.go, RetryBaseDelay,
// RetryMaxDelay). syncPeriod is the interval of syncs without a failure.
const (
	retryFirst = time.Second
	retryLast  = 1000 * time.Second
	syncPeriod = time.Minute
)

// controller configures the data planes as the objects in the cluster describe, and updates the
// objects' statuses.
type controller struct {
	client  dynamic.Interface
	stores  map[schema.GroupVersionResource]cache.Store
	synced  []cache.InformerSynced
	start   func(<-chan struct{})
	changed chan struct{}
	// portMatch is the setting listener_port_match_mode. sidecar is the HTTP client for ADC.
	// rebuilt is true once a sync has succeeded, so that ADC has read the data plane's
	// configuration.
	portMatch string
	sidecar   *http.Client
	rebuilt   bool
	// last has the services of the last sync, by id.
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
			panic(err) // only a stopped informer returns an error
		}
		c.synced = append(c.synced, registered.HasSynced)
	}
	return c
}

// run reconciles after every change, every syncPeriod, and after failures, until ctx ends.
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
		// Update statuses at once. Configure the data plane after the time that ADC needs.
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

// wait waits as long as a run of ADC takes. It returns false if ctx ends first.
func (c *controller) wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(delays.Sync()):
		return true
	}
}

// all returns all objects of a kind; none if the API server does not serve the kind.
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

// get returns an object; nil if it does not exist.
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

// text returns a string field of an object; empty if it does not exist.
func text(o object, path ...string) string {
	value, _, _ := unstructured.NestedString(o.Object, path...)
	return value
}

// list returns the objects in a list field.
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

// texts returns the strings in a list field.
func texts(from map[string]any, path ...string) []string {
	values, _, _ := unstructured.NestedStringSlice(from, path...)
	return values
}
