package fakeapi

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// store holds the objects of a cluster, by the path of their resource and by name.
type store struct {
	mu       sync.Mutex
	revision int
	objects  map[string]map[string]*unstructured.Unstructured
	watchers map[chan event]string
}

type event struct {
	Type   string                     `json:"type"`
	Object *unstructured.Unstructured `json:"object"`
}

func newStore() *store {
	return &store{revision: 1, objects: map[string]map[string]*unstructured.Unstructured{},
		watchers: map[chan event]string{}}
}

// watchBuffer is the capacity of a watch. It is far larger than the number of events that a test
// causes while a watcher is busy.
const watchBuffer = 1000

func (s *store) put(collection string, object *unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	object = object.DeepCopy()
	object.SetResourceVersion(strconv.Itoa(s.revision))
	name := object.GetNamespace() + "/" + object.GetName()
	kind := "MODIFIED"
	if s.objects[collection] == nil {
		s.objects[collection] = map[string]*unstructured.Unstructured{}
	}
	if s.objects[collection][name] == nil {
		kind = "ADDED"
	}
	s.objects[collection][name] = object
	s.tell(collection, event{Type: kind, Object: object})
}

func (s *store) remove(collection, namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := namespace + "/" + name
	object := s.objects[collection][key]
	if object == nil {
		return
	}
	s.revision++
	delete(s.objects[collection], key)
	s.tell(collection, event{Type: "DELETED", Object: object})
}

func (s *store) tell(collection string, e event) {
	for watcher, wants := range s.watchers {
		if wants == collection {
			watcher <- e
		}
	}
}

// list returns the objects of a collection. watch also returns a channel with all later changes.
func (s *store) list(collection string) []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all(collection)
}

func (s *store) all(collection string) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, object := range s.objects[collection] {
		all = append(all, object)
	}
	return all
}

func (s *store) watch(collection string) ([]*unstructured.Unstructured, chan event, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := make(chan event, watchBuffer)
	s.watchers[changes] = collection
	return s.all(collection), changes, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, changes)
	}
}

// parse reads one object from YAML.
func parse(text string) (*unstructured.Unstructured, error) {
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(raw, &object.Object); err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	return object, nil
}
