package teardown

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Objects holds names by kind. A name is namespace/name, or name if the kind has no namespace. A
// kind is written as Deployment.apps.
type Objects map[string][]string

// The kinds that bring objects which no state lists. One is a Helm release, by namespace/name. The
// others are a bundle of CRDs that leaves with its objects, and one that stays.
const (
	KindRelease    = "Release.helm.sh"
	KindBundle     = "Bundle"
	KindKeptBundle = "KeptBundle"
)

const (
	kindNamespace  = "Namespace"
	kindClaim      = "PersistentVolumeClaim"
	kindDefinition = "CustomResourceDefinition.apiextensions.k8s.io"
)

// Add adds one object.
func (o Objects) Add(kind, namespace, name string) {
	o[kind] = append(o[kind],
		join(namespace, name))
}

// Has reports whether o contains an object.
func (o Objects) Has(kind, name string) bool { return slices.Contains(o[kind], name) }

// Sort sorts the names, so that the program's order does not change the result.
func (o Objects) Sort() {
	for _, names := range o {
		slices.Sort(names)
	}
}

// left returns the objects that wanted does not have. A bundle that stays in the cluster does not
// leave.
func (o Objects) left(wanted Objects) Objects {
	left := Objects{}
	for kind, names := range o {
		for _, name := range names {
			if !wanted.Has(kind, name) && kind != KindKeptBundle &&
				(kind != KindBundle || !wanted.Has(KindKeptBundle, name)) {
				left.Add(kind, "", name)
			}
		}
	}
	left.Sort()
	return left
}

func join(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// releaseOf returns the Helm release that an object belongs to, as namespace/name.
func releaseOf(object *unstructured.Unstructured) string {
	notes := object.GetAnnotations()
	return join(notes["meta.helm.sh/release-namespace"], notes["meta.helm.sh/release-name"])
}

func kindOf(object *unstructured.Unstructured) string {
	return object.GroupVersionKind().GroupKind().String()
}

func nameOf(object *unstructured.Unstructured) string {
	return join(object.GetNamespace(), object.GetName())
}
