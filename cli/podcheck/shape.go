package podcheck

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// specifications returns all Pod specifications in a value, at any depth, including nested ones. It
// reads only volumes and initContainers, because a custom kind may define other fields in its own
// way. A value in which these two have other types is no Pod specification.
func specifications(path *field.Path, value any) (found []subject) {
	switch value := value.(type) {
	case map[string]any:
		s := subject{path: path}
		if isPod(value) && convert(path, map[string]any{"volumes": value["volumes"],
			"initContainers": value["initContainers"]}, &s.pod) == nil {
			found = append(found, s)
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
