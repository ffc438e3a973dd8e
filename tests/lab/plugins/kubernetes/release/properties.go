package release

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"google.golang.org/protobuf/types/known/structpb"
)

const inputsKey = "__inputs"

var options = plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true}

func unmarshal(fields *structpb.Struct) (resource.PropertyMap, error) {
	return plugin.UnmarshalProperties(fields, options)
}

func marshal(properties resource.PropertyMap) (*structpb.Struct, error) {
	return plugin.MarshalProperties(properties, options)
}

// checkpoint returns the properties that the engine stores: the release as it is and, as a secret,
// the inputs that made it. In a preview the status is not known yet.
func checkpoint(release *Release, inputs resource.PropertyMap, preview bool) (resource.PropertyMap, error) {
	state, err := release.encode()
	if err != nil {
		return nil, err
	}
	follow(state, inputs)
	state[inputsKey] = resource.MakeSecret(resource.NewObjectProperty(inputs))
	if preview {
		state["resourceNames"] = resource.MakeComputed(resource.NewStringProperty(""))
		state["status"] = resource.MakeComputed(resource.NewStringProperty(""))
	}
	return state, nil
}

// storedInputs returns the inputs of a state; nil for an import.
func storedInputs(state resource.PropertyMap) resource.PropertyMap {
	value, ok := state[inputsKey]
	if !ok {
		return nil
	}
	if value.IsSecret() {
		value = value.SecretValue().Element
	}
	if !value.IsObject() {
		return nil
	}
	return value.ObjectValue()
}

// follow marks in outs as secret or unknown what is so at the same place of ins.
func follow(outs, ins resource.PropertyMap) {
	for key, in := range ins {
		if out, ok := outs[key]; ok {
			outs[key] = followUnknown(out, in)
		} else if in.IsComputed() || in.IsOutput() {
			outs[key] = in
		}
	}
	hide(outs, ins)
}

// hide makes a whole list secret for one of its items.
func hide(outs, ins resource.PropertyMap) {
	for key, in := range ins {
		out, ok := outs[key]
		switch {
		case !ok:
		case out.IsObject() && in.IsObject():
			hide(out.ObjectValue(), in.ObjectValue())
		case !out.IsSecret() && in.ContainsSecrets():
			outs[key] = resource.MakeSecret(out)
		}
	}
}

func followUnknown(out, in resource.PropertyValue) resource.PropertyValue {
	switch {
	case in.IsSecret():
		return followUnknown(out, in.SecretValue().Element)
	case in.IsComputed(), in.IsOutput():
		return resource.MakeComputed(resource.NewStringProperty(""))
	case out.IsObject() && in.IsObject():
		for key, value := range in.ObjectValue() {
			if below, ok := out.ObjectValue()[key]; ok {
				out.ObjectValue()[key] = followUnknown(below, value)
			}
		}
	case out.IsArray() && in.IsArray():
		for i, value := range in.ArrayValue() {
			if i < len(out.ArrayValue()) {
				out.ArrayValue()[i] = followUnknown(out.ArrayValue()[i], value)
			}
		}
	}
	return out
}
