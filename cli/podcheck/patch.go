package podcheck

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// patch is a strategic merge patch of an object, for `kubectl patch` or kustomize, with the objects
// to add. A custom kind gets no patch, because it defines no merge keys for its lists.
type patch struct {
	object *unstructured.Unstructured
	// pod holds the keys of the path to the Pod specification.
	pod     []string
	inits   []corev1.Container
	changed bool
	added   []map[string]any
}

func newPatch(s *subject) patch {
	path := s.path.String()
	if !scheme.Scheme.Recognizes(s.GroupVersionKind()) || strings.Contains(path, "[") {
		return patch{}
	}
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetAPIVersion(s.GetAPIVersion())
	object.SetKind(s.GetKind())
	object.SetName(s.GetName())
	object.SetNamespace(s.GetNamespace())
	return patch{object: object, pod: strings.Split(path, "."), inits: s.pod.InitContainers}
}

// documents returns the patch, unless it is empty, and the objects to add.
func (p *patch) documents() []map[string]any {
	if !p.changed {
		return p.added
	}
	return append([]map[string]any{p.object.Object}, p.added...)
}

// set sets a field of the object.
func (p *patch) set(value any, keys ...string) {
	if p.object == nil {
		return
	}
	p.changed = true
	// Ignore the error: it only occurs if keys lead through a value that is not a map.
	_ = unstructured.SetNestedField(p.object.Object, value, keys...)
}

// merge merges fields into the named item of a list in the Pod specification. It adds the item if
// it is missing. For a sidecar, it uses the list initContainers instead of containers.
func (p *patch) merge(list, name string, fields map[string]any) {
	if list == "containers" && slices.ContainsFunc(p.inits,
		func(one corev1.Container) bool { return one.Name == name }) {
		list = "initContainers"
	}
	keys := append(slices.Clone(p.pod), list)
	var items []any
	if p.object != nil {
		items, _, _ = unstructured.NestedSlice(p.object.Object, keys...)
	}
	at := slices.IndexFunc(items, func(item any) bool {
		return item.(map[string]any)["name"] == name
	})
	if at < 0 {
		items = append(items, map[string]any{"name": name})
		at = len(items) - 1
	}
	item := items[at].(map[string]any)
	for key, value := range fields {
		if below, nested := item[key].(map[string]any); nested {
			for inner, more := range value.(map[string]any) {
				below[inner] = more
			}
			continue
		}
		item[key] = value
	}
	p.set(items, keys...)
}

// addReadiness adds a readiness probe with the handler of the startup probe. Without a startup
// probe, the added probe requests /ready at the first port, which the user must adapt.
func (p *patch) addReadiness(one corev1.Container) {
	handler := map[string]any{"httpGet": map[string]any{"path": "/ready", "port": int64(8080)}}
	if len(one.Ports) > 0 {
		handler["httpGet"].(map[string]any)["port"] = int64(one.Ports[0].ContainerPort)
	}
	if one.StartupProbe != nil {
		handler = toMap(&one.StartupProbe.ProbeHandler)
	}
	p.merge("containers", one.Name, map[string]any{"readinessProbe": handler})
}

func (p *patch) addPreStop(one corev1.Container, wait time.Duration) {
	hook := map[string]any{"sleep": map[string]any{"seconds": ceil(wait)}}
	if one.Lifecycle != nil && one.Lifecycle.PreStop != nil && one.Lifecycle.PreStop.Exec != nil {
		hook["exec"] = nil // null removes the old handler: a hook may have only one
	}
	p.merge("containers", one.Name, map[string]any{"lifecycle": map[string]any{"preStop": hook}})
}

func (p *patch) removeStopSignal(container string) {
	p.merge("containers", container, map[string]any{"lifecycle": map[string]any{"stopSignal": nil}})
}

// setGrace sets the grace period to needed plus 10 s.
func (p *patch) setGrace(needed time.Duration) {
	p.set(ceil(needed)+10, append(slices.Clone(p.pod), "terminationGracePeriodSeconds")...)
}

// addBudget adds a disruption budget. The budget always allows the eviction of Pods that are not
// ready: they serve no request, and a broken revision must not block a drain.
func (p *patch) addBudget(s *subject) {
	keys := []string{"spec", "selector", "matchLabels"}
	if s.GetKind() == "ReplicationController" {
		keys = keys[:2]
	}
	labels, _, _ := unstructured.NestedStringMap(s.Object, keys...)
	if len(labels) == 0 {
		return
	}
	budget := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"maxUnavailable": int64(1), "unhealthyPodEvictionPolicy": "AlwaysAllow",
	}}}
	_ = unstructured.SetNestedStringMap(budget.Object, labels, "spec", "selector", "matchLabels")
	budget.SetAPIVersion("policy/v1")
	budget.SetKind("PodDisruptionBudget")
	budget.SetName(s.GetName())
	budget.SetNamespace(s.GetNamespace())
	p.added = append(p.added, budget.Object)
}

// ceil returns a duration in seconds, rounded up.
func ceil(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// toMap returns an API type as its JSON fields.
func toMap(typed any) map[string]any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		panic(err) // cannot happen: every API type can be converted
	}
	return fields
}
