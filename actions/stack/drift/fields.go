package drift

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// contains reports whether live literally has all fields of wanted, and no other items in its
// lists.
func contains(live, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		fields, isMap := live.(map[string]any)
		for key, value := range wanted {
			if has, there := fields[key]; !there || !contains(has, value) {
				return false
			}
		}
		return isMap
	case []any:
		items, isList := live.([]any)
		return isList && slices.EqualFunc(items, wanted, contains)
	}
	return reflect.DeepEqual(live, wanted)
}

// findChanged returns the paths of the fields that wanted sets, and that an apply of wanted would
// change, and of those below spec that it would remove. live is the object in the cluster, applied
// the result of the apply. A field whose live value is the wanted one does not count, although an
// admission webhook would change it now. Defaults that the API server adds are in live and in
// applied.
func findChanged(path string, wanted, live, applied any) []string {
	if reflect.DeepEqual(live, applied) || reflect.DeepEqual(wanted, live) {
		return nil
	}
	switch wanted := wanted.(type) {
	case map[string]any:
		return findChangedKeys(path, wanted, live, applied)
	case []any:
		return findChangedItems(path, wanted, live, applied)
	}
	return []string{path}
}

func findChangedKeys(path string, wanted map[string]any, live, applied any) (changed []string) {
	before, isMap := live.(map[string]any)
	after, _ := applied.(map[string]any)
	if !isMap {
		return []string{path}
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		changed = append(changed, findChanged(join(path, key), wanted[key], before[key],
			after[key])...)
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		_, set := wanted[key]
		_, stays := after[key]
		if !set && !stays && strings.HasPrefix(path, "spec") { // in an atomic map
			changed = append(changed, join(path, key))
		}
	}
	return changed
}

// findChangedItems compares the items of a list. Items with names are compared by name, and other
// items by position.
func findChangedItems(path string, wanted []any, live, applied any) (changed []string) {
	before, _ := live.([]any)
	after, _ := applied.([]any)
	named := !slices.ContainsFunc(wanted, func(item any) bool { return nameOf(item) == "" })
	if !named && (len(before) != len(wanted) || len(after) != len(wanted)) {
		return []string{path}
	}
	for i, item := range wanted {
		if named {
			name := nameOf(item)
			changed = append(changed, findChanged(path+"["+name+"]", item, itemNamed(before, name),
				itemNamed(after, name))...)
			continue
		}
		at := fmt.Sprintf("%s[%d]", path, i)
		changed = append(changed, findChanged(at, item, before[i], after[i])...)
	}
	return changed
}

func itemNamed(list []any, name string) any {
	if i := slices.IndexFunc(list, func(item any) bool { return nameOf(item) == name }); i >= 0 {
		return list[i]
	}
	return nil
}

// nameOf returns the name of a list's item; empty if it has none.
func nameOf(item any) string {
	fields, _ := item.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

// join appends a key to a path. A key with dots is quoted, as in annotations.
func join(path, key string) string {
	switch {
	case path == "":
		return key
	case slices.Contains([]byte(key), '.'):
		return fmt.Sprintf("%s[%q]", path, key)
	}
	return path + "." + key
}
