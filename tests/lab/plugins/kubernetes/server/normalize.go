package server

import (
	"encoding/base64"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"strata/tests/lab/plugins/kubernetes/cluster"
	"strata/tests/lab/plugins/kubernetes/difference"
)

// readOnly are the metadata fields that inputs must not have.
var readOnly = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp",
	"generation", "managedFields", "resourceVersion", "uid",
}

// normalize gives equal inputs an equal form: built-in kinds pass through their
// Go type ("0.5" of a CPU becomes "500m"), so that the server's answer shows no
// difference.
func normalize(inputs *unstructured.Unstructured) *unstructured.Unstructured {
	if !unknown(inputs.Object) {
		inputs = normalizedLike(inputs)
	}
	for _, field := range readOnly {
		unstructured.RemoveNestedField(inputs.Object, "metadata", field)
	}
	return inputs
}

func normalized(inputs *unstructured.Unstructured) *unstructured.Unstructured {
	result := inputs.DeepCopy()
	switch {
	case cluster.IsDefinition(inputs):
		unstructured.RemoveNestedField(result.Object, "status")
		if keep, found, _ := unstructured.NestedBool(result.Object, "spec", "preserveUnknownFields"); found && !keep {
			unstructured.RemoveNestedField(result.Object, "spec", "preserveUnknownFields")
		}
		return result
	case inputs.GetAPIVersion() == "v1" && inputs.GetKind() == "Secret":
		return withStringData(result)
	}
	typed, err := scheme.Scheme.New(inputs.GroupVersionKind())
	if err != nil {
		return inputs
	}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(inputs.Object, typed) != nil {
		return inputs
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return inputs
	}
	return &unstructured.Unstructured{Object: fields}
}

// withStringData moves a Secret's stringData into data, as the server does.
func withStringData(secret *unstructured.Unstructured) *unstructured.Unstructured {
	texts, found, _ := unstructured.NestedStringMap(secret.Object, "stringData")
	if !found || len(texts) == 0 {
		return secret
	}
	data, _, _ := unstructured.NestedStringMap(secret.Object, "data")
	if data == nil {
		data = map[string]string{}
	}
	for name, value := range texts {
		data[name] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	if unstructured.SetNestedStringMap(secret.Object, data, "data") == nil {
		unstructured.RemoveNestedField(secret.Object, "stringData")
	}
	return secret
}

// normalizedLike adds nothing that the inputs did not say, except a Secret's
// data where they said stringData.
func normalizedLike(inputs *unstructured.Unstructured) *unstructured.Unstructured {
	result := normalized(inputs)
	if inputs.GetKind() == "Secret" {
		return result
	}
	return &unstructured.Unstructured{Object: difference.Prune(result.Object, inputs.Object)}
}
