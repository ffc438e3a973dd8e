package podcheck

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// specification is a Pod specification and its path in an object.
type specification struct {
	path   *field.Path
	fields map[string]any
}

// mounts returns only the volumes and init containers. The other fields may have different types in
// a custom kind with a Pod specification of its own.
func (s specification) mounts() map[string]any {
	return map[string]any{"volumes": s.fields["volumes"],
		"initContainers": s.fields["initContainers"]}
}

// specifications returns all Pod specifications in a value, at any depth, including nested ones.
func specifications(path *field.Path, value any) (found []specification) {
	switch value := value.(type) {
	case map[string]any:
		if isPod(value) {
			found = append(found, specification{path, value})
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			found = append(found, specifications(path.Child(key), value[key])...)
		}
	case []any:
		for i, item := range value {
			found = append(found, specifications(path.Index(i), item)...)
		}
	}
	return found
}

// isPod reports whether fields look like a Pod specification: a list of containers, each with a
// name or an image (Knative's containers have no name).
func isPod(fields map[string]any) bool {
	containers, _ := fields["containers"].([]any)
	return len(containers) > 0 && !slices.ContainsFunc(containers, func(one any) bool {
		container, _ := one.(map[string]any)
		_, name := container["name"].(string)
		_, image := container["image"].(string)
		return !name && !image
	})
}
