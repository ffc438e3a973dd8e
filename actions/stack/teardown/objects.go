package teardown

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Objects maps a kind, written as Deployment.apps, to the names of its objects. A name is
// namespace/name, or only name for a cluster-scoped kind. It may be a pattern of path.Match, for an
// object whose name is not known yet.
type Objects map[string][]string

// These are pseudo kinds for resources whose objects Pulumi's state does not list: a Helm release
// (namespace/name), a CRD bundle that is deleted with its resource, and a CRD bundle that stays.
const (
	KindRelease    = "Release.helm.sh"
	KindBundle     = "Bundle"
	KindKeptBundle = "KeptBundle"
)

const (
	kindNamespace   = "Namespace"
	kindClaim       = "PersistentVolumeClaim"
	kindDefinition  = "CustomResourceDefinition.apiextensions.k8s.io"
	kindApplication = "Application.argoproj.io"
)

// Add appends the name of an object.
func (o Objects) Add(kind, namespace, name string) {
	o[kind] = append(o[kind],
		join(namespace, name))
}

// Has reports whether o contains an object; name includes the namespace.
func (o Objects) Has(kind, name string) bool {
	return slices.ContainsFunc(o[kind], func(one string) bool {
		if one == name {
			return true
		}
		matched, err := path.Match(one, name)
		return err == nil && matched
	})
}

// hasReleaseIn reports whether o contains a Helm release in a namespace.
func (o Objects) hasReleaseIn(namespace string) bool {
	return slices.ContainsFunc(o[KindRelease],
		func(name string) bool { return strings.HasPrefix(name, namespace+"/") })
}

// Sort sorts the names, so that the order in which the program declares them does not matter.
func (o Objects) Sort() {
	for _, names := range o {
		slices.Sort(names)
	}
}

// left returns the objects of o that are missing from wanted and will therefore be deleted. CRD
// bundles that stay in the cluster are not among them.
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
