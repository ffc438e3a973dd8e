package engine_test

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// releaseType is the type of a Helm release.
const releaseType = "kubernetes:helm.sh/v3:Release"

// objectOf returns the kind, namespace and name of a resource that is an object of the cluster. The
// text is empty if the resource is no object or has no name yet.
func objectOf(urn resource.URN, inputs resource.PropertyMap) string {
	kind := string(urn.Type())
	metadata := inputs["metadata"]
	if kind == releaseType {
		metadata = resource.NewProperty(inputs)
	}
	if !strings.HasPrefix(kind, "kubernetes:") || strings.HasSuffix(kind, "Patch") ||
		!metadata.IsObject() {
		return ""
	}
	text := func(key resource.PropertyKey) string {
		value := metadata.ObjectValue()[key]
		if !value.IsString() {
			return ""
		}
		return value.StringValue()
	}
	if text("name") == "" {
		return ""
	}
	return fmt.Sprintf("%s %s/%s", kind, text("namespace"), text("name"))
}

// exists records the creation of an object. It returns an error if the object exists, like the API
// server, or Helm for a release. With upsert, the provider adopts an existing object, but never a
// release (pulumi-kubernetes upsertExistingObjects). The caller must hold the mutex.
func (w *world) exists(object string, upsert bool, inputs resource.PropertyMap) error {
	release := strings.HasPrefix(object, releaseType)
	switch {
	case object == "":
		return nil
	case w.objects[object] && release:
		return fmt.Errorf("%s: cannot re-use a name that is still in use", object)
	case w.objects[object] && !upsert:
		return fmt.Errorf("%s already exists", object)
	}
	w.objects[object] = true
	if w.reality != nil {
		w.reality.content[object] = inputs
	}
	return nil
}

// read returns the result of a refresh: an object as it was last written, or none.
func (w *world) read(_ context.Context, req plugin.ReadRequest) (plugin.ReadResponse, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	found := plugin.ReadResponse{
		ReadResult: plugin.ReadResult{ID: req.ID, Inputs: &req.Inputs, Outputs: &req.State},
		Status:     resource.StatusOK}
	object := objectOf(req.URN, resource.ToResourcePropertyMap(req.Inputs))
	switch {
	case w.reality == nil || object == "":
		return found, nil
	case !w.reality.serves():
		return plugin.ReadResponse{Status: resource.StatusUnknown}, errNoAnswer
	case !w.objects[object]:
		return plugin.ReadResponse{Status: resource.StatusOK}, nil
	}
	outputs := resource.ToResourcePropertyMap(req.State)
	maps.Copy(outputs, w.reality.content[object])
	inputs := resource.FromResourcePropertyMap(w.reality.content[object])
	state := resource.FromResourcePropertyMap(outputs)
	found.Inputs, found.Outputs = &inputs, &state
	return found, nil
}

// gone removes an object from the cluster.
func (w *world) gone(object string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.objects, object)
}

// anew removes all objects, as if another cluster replaced this one.
func (w *world) anew() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	clear(w.objects)
}

// here reports whether an object exists in the cluster.
func (w *world) here(object string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.objects[object]
}

// count returns a new number at each call.
func (w *world) count() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.tick()
}
