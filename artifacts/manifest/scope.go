package manifest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Definition and Namespace are the kinds CustomResourceDefinition and Namespace.
var (
	Definition = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	Namespace  = schema.GroupKind{Kind: "Namespace"}
	apiService = schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"}
)

// clusterScoped lists, by API group, the cluster-scoped kinds that are built in or that Strata's
// layers install.
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
	"cert-manager.io":              {"ClusterIssuer"},
	"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
	"frrk8s.metallb.io":            {"FRRNodeState"},
	"gateway.networking.k8s.io":    {"GatewayClass"},
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

// ClusterScoped returns the cluster-scoped kinds: the built-in ones, those of Strata's layers, and
// those that CRDs among the objects define. Other kinds count as namespaced.
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

// Defines returns the kind that a CustomResourceDefinition defines. is is false for other objects.
func (m Manifest) Defines() (kind schema.GroupKind, is bool) {
	kind.Group, _, _ = unstructured.NestedString(m.Object, "spec", "group")
	kind.Kind, _, _ = unstructured.NestedString(m.Object, "spec", "names", "kind")
	return kind, m.Kind() == Definition
}
