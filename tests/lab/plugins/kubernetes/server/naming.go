package server

import (
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const autonamed = "pulumi.com/autonamed"

// named is true for a known and for a not yet known name.
func named(inputs *unstructured.Unstructured, news resource.PropertyMap) bool {
	metadata := plain(news["metadata"])
	if metadata.IsObject() && metadata.ObjectValue()["name"].IsComputed() {
		return true
	}
	return inputs.GetName() != ""
}

func isAutonamed(obj *unstructured.Unstructured) bool {
	return obj.GetAnnotations()[autonamed] == "true"
}

// assignName keeps the old automatic name, or makes NAME-xxxxxxxx from the
// resource's name, for an object without one.
func assignName(
	req *pulumirpc.CheckRequest, inputs, old *unstructured.Unstructured, news resource.PropertyMap,
) error {
	if named(inputs, news) || inputs.GetGenerateName() != "" {
		return nil
	}
	if len(old.Object) > 0 {
		if isAutonamed(old) {
			setName(inputs, old.GetName())
		}
		return nil
	}
	name, err := resource.NewUniqueName(req.GetRandomSeed(), resource.URN(req.GetUrn()).Name()+"-", 0, 0, nil)
	if err != nil {
		return err
	}
	switch options := req.GetAutonaming(); options.GetMode() {
	case pulumirpc.CheckRequest_AutonamingOptions_DISABLE:
		return errors.New("autonaming is disabled, resource requires the .metadata.name field to be set")
	case pulumirpc.CheckRequest_AutonamingOptions_ENFORCE, pulumirpc.CheckRequest_AutonamingOptions_PROPOSE:
		if options.GetProposedName() != "" {
			name = options.GetProposedName()
		}
	}
	setName(inputs, name)
	return nil
}

// setName leaves metadata alone that is not known yet.
func setName(inputs *unstructured.Unstructured, name string) {
	metadata, ok := inputs.Object["metadata"].(map[string]any)
	if !ok {
		if inputs.Object["metadata"] != nil {
			return
		}
		metadata = map[string]any{}
		inputs.Object["metadata"] = metadata
	}
	metadata["name"] = name
	switch annotations := metadata["annotations"].(type) {
	case nil:
		metadata["annotations"] = map[string]any{autonamed: "true"}
	case map[string]any:
		annotations[autonamed] = "true"
	}
}
