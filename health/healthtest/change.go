package healthtest

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// apply returns base changed like a JSON merge patch (RFC 7396): a map changes keys, null removes a
// key, any other value replaces base. In addition, a map can change a list: its keys are the
// identities of the items to change, remove or add. If change is nil, apply returns base.
func apply(base, change any) any {
	if change == nil {
		return base
	}
	keys, isMap := change.(map[string]any)
	if !isMap {
		return change
	}
	if list, isList := base.([]any); isList {
		return applyToItems(list, keys)
	}
	before, _ := base.(map[string]any)
	after := maps.Clone(before)
	if after == nil {
		after = map[string]any{}
	}
	for key, value := range keys {
		if value == nil {
			delete(after, key)
			continue
		}
		after[key] = apply(after[key], value)
	}
	return after
}

func applyToItems(list []any, changes map[string]any) any {
	field, names := identities(list)
	after := []any{}
	for i, item := range list {
		change, changed := changes[names[i]]
		switch {
		case !changed:
			after = append(after, item)
		case change != nil:
			after = append(after, apply(item, change))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if slices.Contains(names, name) {
			continue
		}
		added := apply(nil, changes[name])
		if item, isMap := added.(map[string]any); isMap && field != "" {
			item[field] = name
		}
		after = append(after, added)
	}
	return after
}

// identities returns the first field whose text differs in every item of a list, and these texts.
// Without such a field, it returns the items' indexes.
func identities(list []any) (string, []string) {
	for _, field := range []string{"check", "name", "server", "node", "host", "kind", "type", "url"} {
		names := make([]string, 0, len(list))
		for _, item := range list {
			fields, _ := item.(map[string]any)
			if name, isText := fields[field].(string); isText && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) == len(list) && len(list) > 0 {
			return field, names
		}
	}
	places := make([]string, len(list))
	for i := range places {
		places[i] = strconv.Itoa(i)
	}
	return "", places
}

// difference returns the change that apply needs to make whole from base; nil if both are equal.
// For a list, it returns the complete list if that is shorter, or if changes of items cannot make
// it.
func difference(base, whole any) any {
	if reflect.DeepEqual(base, whole) {
		return nil
	}
	switch whole := whole.(type) {
	case map[string]any:
		before, _ := base.(map[string]any)
		return differenceOfKeys(before, whole)
	case []any:
		before, _ := base.([]any)
		change := differenceOfItems(before, whole)
		if lines(change) < lines(whole) && reflect.DeepEqual(apply(base, change), any(whole)) {
			return change
		}
	}
	return whole
}

func differenceOfKeys(before, after map[string]any) map[string]any {
	change := map[string]any{}
	for key := range before {
		if _, stays := after[key]; !stays {
			change[key] = nil
		}
	}
	for key, value := range after {
		if changed := difference(before[key], value); changed != nil {
			change[key] = changed
		}
	}
	return change
}

// differenceOfItems returns the changed items by their identity. It ignores the order of the items;
// its caller checks the order.
func differenceOfItems(before, after []any) map[string]any {
	field, names := identities(before)
	_, later := identities(after)
	change := map[string]any{}
	for i, name := range names {
		at := slices.Index(later, name)
		if at < 0 {
			change[name] = nil
		} else if changed := difference(before[i], after[at]); changed != nil {
			change[name] = changed
		}
	}
	for i, name := range later {
		item, isMap := after[i].(map[string]any)
		if isMap && !slices.Contains(names, name) {
			item = maps.Clone(item)
			delete(item, field)
			change[name] = item
		}
	}
	return change
}

// lines returns how many lines of YAML a value takes.
func lines(value any) int {
	total := 0
	switch value := value.(type) {
	case map[string]any:
		for _, each := range value {
			total += 1 + lines(each)
		}
	case []any:
		for _, each := range value {
			total += max(1, lines(each))
		}
	}
	return total
}
