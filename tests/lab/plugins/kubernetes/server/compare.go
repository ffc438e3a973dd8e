package server

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// comparison collects the differences of two trees, path by path.
type comparison struct {
	changes map[string]pulumirpc.PropertyDiff_Kind
}

func compare(before, after map[string]any) map[string]pulumirpc.PropertyDiff_Kind {
	c := comparison{changes: map[string]pulumirpc.PropertyDiff_Kind{}}
	c.maps(nil, before, after)
	return c.changes
}

func (c comparison) add(path resource.PropertyPath, kind pulumirpc.PropertyDiff_Kind) {
	c.changes[path.String()] = kind
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
