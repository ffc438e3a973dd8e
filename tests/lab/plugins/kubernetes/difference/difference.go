// Package difference compares two trees of values, path by path.
//
// It owns how a difference is named and shown. It does not own which difference
// replaces a resource.
package difference

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// comparison collects the differences of two trees, path by path.
type comparison struct {
	changes map[string]pulumirpc.PropertyDiff_Kind
}

// Compare returns the kind of each difference by its property path.
func Compare(before, after map[string]any) map[string]pulumirpc.PropertyDiff_Kind {
	c := comparison{changes: map[string]pulumirpc.PropertyDiff_Kind{}}
	c.maps(nil, before, after)
	return c.changes
}

// Shown is a difference as the engine is told: what leaves, leaves the inputs.
func Shown(kind pulumirpc.PropertyDiff_Kind) *pulumirpc.PropertyDiff {
	gone := kind == pulumirpc.PropertyDiff_DELETE || kind == pulumirpc.PropertyDiff_DELETE_REPLACE
	return &pulumirpc.PropertyDiff{Kind: kind, InputDiff: gone}
}

// Replacing is the kind of a difference that replaces the resource.
func Replacing(kind pulumirpc.PropertyDiff_Kind) pulumirpc.PropertyDiff_Kind {
	return map[pulumirpc.PropertyDiff_Kind]pulumirpc.PropertyDiff_Kind{
		pulumirpc.PropertyDiff_ADD:    pulumirpc.PropertyDiff_ADD_REPLACE,
		pulumirpc.PropertyDiff_DELETE: pulumirpc.PropertyDiff_DELETE_REPLACE,
		pulumirpc.PropertyDiff_UPDATE: pulumirpc.PropertyDiff_UPDATE_REPLACE,
	}[kind]
}

// Prune keeps of source what target has as well: of what is live, what the
// program said.
func Prune(source, target map[string]any) map[string]any {
	if source == nil || target == nil {
		return nil
	}
	result := make(map[string]any, len(target))
	for key, value := range source {
		if wanted, ok := target[key]; ok {
			result[key] = pruneValue(value, wanted)
		}
	}
	return result
}

func pruneValue(value, wanted any) any {
	if reflect.TypeOf(value) != reflect.TypeOf(wanted) {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		return Prune(v, wanted.(map[string]any))
	case []any:
		items := wanted.([]any)
		result := make([]any, 0, len(items))
		for i := range min(len(v), len(items)) {
			result = append(result, pruneValue(v[i], items[i]))
		}
		return result
	}
	return value
}

func (c comparison) add(path resource.PropertyPath, kind pulumirpc.PropertyDiff_Kind) {
	c.changes[spell(path)] = kind
}

// spell quotes only the steps that would read as more than one.
func spell(path resource.PropertyPath) string {
	var text strings.Builder
	for _, step := range path {
		name, isName := step.(string)
		switch {
		case !isName:
			fmt.Fprintf(&text, "[%v]", step)
		case strings.ContainsAny(name, `."[]`):
			fmt.Fprintf(&text, `["%s"]`, strings.ReplaceAll(name, `"`, `\"`))
		case text.Len() > 0:
			text.WriteString("." + name)
		default:
			text.WriteString(name)
		}
	}
	return text.String()
}

// maps takes a null as an absent field.
func (c comparison) maps(path resource.PropertyPath, before, after map[string]any) {
	for key, was := range before {
		if was != nil && after[key] == nil {
			c.add(extend(path, key), pulumirpc.PropertyDiff_DELETE)
		}
	}
	for key, is := range after {
		switch was := before[key]; {
		case is == nil:
		case was == nil:
			c.add(extend(path, key), pulumirpc.PropertyDiff_ADD)
		default:
			c.values(extend(path, key), was, is)
		}
	}
}

func (c comparison) values(path resource.PropertyPath, before, after any) {
	switch is := after.(type) {
	case map[string]any:
		if was, ok := before.(map[string]any); ok {
			c.maps(path, was, is)
			return
		}
	case []any:
		if was, ok := before.([]any); ok {
			c.lists(path, was, is)
			return
		}
	}
	if !same(before, after) {
		c.add(path, pulumirpc.PropertyDiff_UPDATE)
	}
}

func (c comparison) lists(path resource.PropertyPath, before, after []any) {
	for i := range max(len(before), len(after)) {
		switch {
		case i >= len(after):
			c.add(extend(path, i), pulumirpc.PropertyDiff_DELETE)
		case i >= len(before):
			c.add(extend(path, i), pulumirpc.PropertyDiff_ADD)
		default:
			c.values(extend(path, i), before[i], after[i])
		}
	}
}

// extend copies, because siblings share the array behind path.
func extend(path resource.PropertyPath, step any) resource.PropertyPath {
	return append(append(resource.PropertyPath{}, path...), step)
}

// same compares numbers by value: the state has floats where the server sends
// integers.
func same(before, after any) bool {
	was, isNumber := float(before)
	is, areNumbers := float(after)
	if isNumber && areNumbers {
		return was == is
	}
	return reflect.DeepEqual(before, after)
}

func float(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
