package manifest

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// freelyNamed are built-in groups with kinds whose names need not be those of DNS.
var freelyNamed = []string{
	"rbac.authorization.k8s.io", "certificates.k8s.io", "internal.apiserver.k8s.io"}

// checkTypes returns the errors that an API server would return for the object's metadata, and for
// the types of all fields if the kind is built in. It uses the converter and the rules of API
// servers. pinned is as in Prepare.
func (m Manifest) checkTypes(pinned bool) (wrong []error) {
	kind := m.GroupVersionKind()
	known := scheme.Scheme.Recognizes(kind)
	if !known && pinned && scheme.Scheme.IsVersionRegistered(kind.GroupVersion()) {
		return []error{m.refuse("%s has no such kind", m.GetAPIVersion())}
	}
	object := m.Unstructured
	if !known { // each kind has the same metadata
		object = &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": m.Object["metadata"]}}
	}
	// The first call takes 60 ms, because it parses the schemas of all kinds.
	_, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(object)
	var found typed.ValidationErrors
	errors.As(err, &found)
	for _, one := range found {
		// A newer API server knows more fields. It has the same types.
		if pinned || !strings.Contains(one.ErrorMessage, "field not declared") {
			text, _, _ := strings.Cut(one.Error(), ", got ") // the value may be a Secret's
			wrong = append(wrong, m.refuse("%s", strings.TrimPrefix(text, ".")))
		}
	}
	if _, err := m.toObject(known); err != nil && len(wrong) == 0 {
		wrong = append(wrong, m.refuse("%s: cannot be decoded: %w",
			cmp.Or(m.findInvalid(nil, m.Object), field.NewPath("object")), err))
	}
	rule := validation.NameIsDNSSubdomain
	if !known || kind.Kind == "IPAddress" || slices.Contains(freelyNamed, kind.Group) {
		rule = func(name string, _ bool) []string { return content.IsPathSegmentName(name) }
	}
	for _, err := range validation.ValidateObjectMetaAccessor(m, m.GetNamespace() != "", rule,
		field.NewPath("metadata")) {
		wrong = append(wrong, m.refuse("%w", err))
	}
	slices.SortFunc(wrong, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return wrong
}

// findInvalid returns the path of the value without which the object has the Go type of its kind:
// of an item the list's path, and of several values that of the value around them.
func (m Manifest) findInvalid(at *field.Path, value any) *field.Path {
	fields, _ := value.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		below := fields[key]
		fields[key] = nil
		_, err := m.toObject(true)
		if fields[key] = below; err == nil {
			return m.findInvalid(child(at, key), below)
		}
	}
	return at
}
