package server

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func unmarshalPlain(fields *structpb.Struct) (resource.PropertyMap, error) {
	return plugin.UnmarshalProperties(fields, plainOptions)
}

// unmarshal keeps unknowns and secrets.
func unmarshal(fields *structpb.Struct) (resource.PropertyMap, error) {
	return plugin.UnmarshalProperties(fields, plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true})
}

func (s *Server) marshal(properties resource.PropertyMap) (*structpb.Struct, error) {
	return plugin.MarshalProperties(properties, plugin.MarshalOptions{
		KeepUnknowns: true, KeepSecrets: s.settings.secrets,
	})
}

// dashed are the keys of definitions that property names cannot spell.
var dashed = map[string]string{
	"x_kubernetes_embedded_resource":       "x-kubernetes-embedded-resource",
	"x_kubernetes_int_or_string":           "x-kubernetes-int-or-string",
	"x_kubernetes_list_map_keys":           "x-kubernetes-list-map-keys",
	"x_kubernetes_list_type":               "x-kubernetes-list-type",
	"x_kubernetes_map_type":                "x-kubernetes-map-type",
	"x_kubernetes_preserve_unknown_fields": "x-kubernetes-preserve-unknown-fields",
	"x_kubernetes_validations":             "x-kubernetes-validations",
}

var underscored = func() map[string]resource.PropertyKey {
	inverse := make(map[string]resource.PropertyKey, len(dashed))
	for name, key := range dashed {
		inverse[key] = resource.PropertyKey(name)
	}
	return inverse
}()

// object turns properties into an API object without secretness. Unknown values
// stay as resource.Computed.
func object(properties resource.PropertyMap) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: properties.MapRepl(
		func(name string) (string, bool) {
			key, ok := dashed[name]
			return key, ok
		}, withoutSecrets)}
}

func withoutSecrets(value resource.PropertyValue) (any, bool) {
	if value.IsSecret() {
		return value.SecretValue().Element.MapRepl(nil, withoutSecrets), true
	}
	return nil, false
}

// properties turns an API object into properties.
func properties(obj *unstructured.Unstructured) resource.PropertyMap {
	return resource.NewPropertyMapFromMapRepl(obj.Object, func(key string) (resource.PropertyKey, bool) {
		name, ok := underscored[key]
		return name, ok
	}, nil)
}

// unknown says whether a value anywhere in the tree is not known yet.
func unknown(value any) bool {
	switch v := value.(type) {
	case resource.Computed:
		return true
	case map[string]any:
		for _, field := range v {
			if unknown(field) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if unknown(item) {
				return true
			}
		}
	}
	return false
}

// hide marks in outs as secret what is secret at the same place of ins: a whole
// list for one of its items, and all data of a Secret in any case.
func hide(outs, ins resource.PropertyMap) {
	if kind := outs["kind"]; kind.IsString() && kind.StringValue() == "Secret" {
		for _, key := range []resource.PropertyKey{"data", "stringData"} {
			if value, ok := outs[key]; ok && !value.IsSecret() {
				outs[key] = resource.MakeSecret(value)
			}
		}
		return
	}
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
