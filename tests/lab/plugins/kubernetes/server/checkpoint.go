package server

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The keys of a checkpoint beside the fields of the live object.
const (
	inputsKey       = "__inputs"
	fieldManagerKey = "__fieldManager"
	apiVersionKey   = "__initialApiVersion"
)

// checkpoint returns the properties that the engine stores: the live object, the inputs that made
// it and the name under which its fields are owned. Where from has secrets, both have.
func checkpoint(
	inputs, live *unstructured.Unstructured, from resource.PropertyMap, apiVersion, manager string,
) resource.PropertyMap {
	state, stored := properties(live), properties(inputs)
	hide(state, from)
	hide(stored, from)
	state[inputsKey] = resource.NewObjectProperty(stored)
	state[apiVersionKey] = resource.NewStringProperty(apiVersion)
	state[fieldManagerKey] = resource.NewStringProperty(manager)
	return state
}

// parseCheckpoint splits a state into the inputs and the live object.
func parseCheckpoint(state resource.PropertyMap) (inputs, live *unstructured.Unstructured) {
	live = object(state)
	stored, _ := live.Object[inputsKey].(map[string]any)
	if stored == nil {
		stored = map[string]any{}
	}
	delete(live.Object, inputsKey)
	return &unstructured.Unstructured{Object: stored}, live
}

func apiVersionOf(state resource.PropertyMap, inputs *unstructured.Unstructured) string {
	if value, ok := state[apiVersionKey]; ok && value.IsString() {
		return value.StringValue()
	}
	return inputs.GetAPIVersion()
}

// managerOf is the state's field manager, else a new one.
func managerOf(state resource.PropertyMap) (string, error) {
	if value, ok := state[fieldManagerKey]; ok && value.IsString() {
		return value.StringValue(), nil
	}
	return resource.NewUniqueName(nil, "pulumi-kubernetes-", 0, 0, nil)
}

func id(obj *unstructured.Unstructured) string {
	if obj.GetNamespace() == "" {
		return obj.GetName()
	}
	return obj.GetNamespace() + "/" + obj.GetName()
}

func parseID(text string) (namespace, name string) {
	if before, after, found := strings.Cut(text, "/"); found {
		return before, after
	}
	return "", text
}
