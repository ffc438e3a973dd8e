package crds

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
)

const (
	// BundleLabel is the label with the name of an object's bundle. It also marks the object as
	// Strata's.
	BundleLabel = "strata.dev/crd-bundle"
	// VersionAnnotation is the annotation with the bundle's version.
	VersionAnnotation = "strata.dev/crd-version"
)

// Manager is the field manager with which the bundle is applied.
const Manager = "strata"

// These are the kinds that a bundle may contain. The Gateway API's bundle also contains an
// admission policy (kubernetes-sigs/gateway-api
// config/crd/standard/gateway.networking.k8s.io_vap_safeupgrades.yaml).
var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"}
	policies = schema.GroupVersionResource{Group: "admissionregistration.k8s.io",
		Version: "v1", Resource: "validatingadmissionpolicies"}
	policyBindings = schema.GroupVersionResource{Group: "admissionregistration.k8s.io",
		Version: "v1", Resource: "validatingadmissionpolicybindings"}
	resources = map[string]schema.GroupVersionResource{
		"CustomResourceDefinition":         definitions,
		"ValidatingAdmissionPolicy":        policies,
		"ValidatingAdmissionPolicyBinding": policyBindings,
	}
)

// Bundle is a versioned set of CRDs.
type Bundle struct {
	// Name identifies the bundle, for example gateway-api.
	Name string
	// Version is a semantic version, with or without "v".
	Version string
	// Objects lists the CRDs and their admission policies in the file's order, with BundleLabel and
	// VersionAnnotation set.
	Objects []*unstructured.Unstructured
}

// Parse parses a bundle's YAML. It fails if an object is neither a CRD nor a part of an admission
// policy, and if the bundle has no CRD.
func Parse(name, version string, text []byte) (*Bundle, error) {
	bundle := &Bundle{Name: name, Version: version}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("bundle %s: %w", name, err)
		}
		if len(object.Object) == 0 {
			continue // a comment between two separators
		}
		if _, known := resources[object.GetKind()]; !known {
			return nil, fmt.Errorf("bundle %s holds %s %s, which is no CRD", name, object.GetKind(),
				object.GetName())
		}
		unstructured.RemoveNestedField(object.Object, "status")
		object.SetLabels(with(object.GetLabels(), BundleLabel, name))
		object.SetAnnotations(with(object.GetAnnotations(), VersionAnnotation, version))
		bundle.Objects = append(bundle.Objects, object)
	}
	if len(bundle.Names()) == 0 {
		return nil, fmt.Errorf("bundle %s holds no CRD", name)
	}
	return bundle, nil
}

// Names returns the names of the CRDs; it leaves out the admission policies.
func (b *Bundle) Names() []string {
	var names []string
	for _, object := range b.Objects {
		if object.GetKind() == "CustomResourceDefinition" {
			names = append(names, object.GetName())
		}
	}
	return names
}

func with(values map[string]string, key, value string) map[string]string {
	if values == nil {
		values = map[string]string{}
	}
	values[key] = value
	return values
}
