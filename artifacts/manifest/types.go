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

// freelyNamed lists the built-in API groups with kinds whose object names need not be DNS names.
var freelyNamed = []string{
	"rbac.authorization.k8s.io", "certificates.k8s.io", "internal.apiserver.k8s.io"}

// checkTypes returns the errors that an API server would return for the object's metadata and, if
// the kind is built in, for the types of all fields. It uses the converter and the rules of API
// servers. With pinned, it also refuses unknown fields and kinds.
func (m Manifest) checkTypes(pinned bool) (wrong []error) {
	kind := m.GroupVersionKind()
	known := scheme.Scheme.Recognizes(kind)
	if !known && pinned && scheme.Scheme.IsVersionRegistered(kind.GroupVersion()) {
		return []error{m.refuse("%s has no such kind", m.GetAPIVersion())}
	}
	object := m.Unstructured
	if !known { // check only the metadata, which is the same for all kinds
		object = &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": m.Object["metadata"]}}
	}
	// The first call takes 60 ms, because it parses the schemas of all kinds.
	_, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(object)
	var found typed.ValidationErrors
	errors.As(err, &found)
	for _, one := range found {
		// Another API server may know more fields, but the types of known fields are the same.
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

// findInvalid returns the path of the field that does not fit the Go type of the object's kind. For
// an item, it returns the list's path. For several invalid fields, it returns the path of the
// object that contains them.
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
