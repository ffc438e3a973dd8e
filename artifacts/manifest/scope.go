package manifest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Definition is the kind that defines others, and Namespace the kind that holds them.
var (
	Definition = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	Namespace  = schema.GroupKind{Kind: "Namespace"}
)

// clusterScoped are the built-in kinds without a namespace, by group.
var clusterScoped = map[string][]string{
	"": {"ComponentStatus", "Namespace", "Node", "PersistentVolume"},
	"admissionregistration.k8s.io": {
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
		"ValidatingWebhookConfiguration",
	},
	"apiextensions.k8s.io":   {"CustomResourceDefinition"},
	"apiregistration.k8s.io": {"APIService"},
	"authentication.k8s.io":  {"SelfSubjectReview", "TokenReview"},
	"authorization.k8s.io": {"SelfSubjectAccessReview", "SelfSubjectRulesReview",
		"SubjectAccessReview"},
	"certificates.k8s.io":          {"CertificateSigningRequest", "ClusterTrustBundle"},
	"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
	"internal.apiserver.k8s.io":    {"StorageVersion"},
	"networking.k8s.io":            {"IPAddress", "IngressClass", "ServiceCIDR"},
	"node.k8s.io":                  {"RuntimeClass"},
	"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
	"resource.k8s.io": {"DeviceClass", "DeviceTaintRule", "ResourcePoolStatusRequest",
		"ResourceSlice"},
	"scheduling.k8s.io": {"PriorityClass"},
	"storage.k8s.io": {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment",
		"VolumeAttributesClass"},
	"storagemigration.k8s.io": {"StorageVersionMigration"},
}

// ClusterScoped returns the kinds without a namespace: built-in ones, and kinds that the objects
// define. Unknown kinds count as namespaced.
func ClusterScoped(objects []Manifest) map[schema.GroupKind]bool {
	kinds := map[schema.GroupKind]bool{}
	for group, names := range clusterScoped {
		for _, name := range names {
			kinds[schema.GroupKind{Group: group, Kind: name}] = true
		}
	}
	for _, object := range objects {
		scope, _, _ := unstructured.NestedString(object.Object, "spec", "scope")
		if defined, is := object.Defines(); is && scope == "Cluster" {
			kinds[defined] = true
		}
	}
	return kinds
}

// Kind returns the object's group and kind.
func (m Manifest) Kind() schema.GroupKind { return m.GroupVersionKind().GroupKind() }

// Defines returns the kind that a CustomResourceDefinition defines.
func (m Manifest) Defines() (kind schema.GroupKind, is bool) {
	kind.Group, _, _ = unstructured.NestedString(m.Object, "spec", "group")
	kind.Kind, _, _ = unstructured.NestedString(m.Object, "spec", "names", "kind")
	return kind, m.Kind() == Definition
}
