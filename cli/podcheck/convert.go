package podcheck

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
)

// convert converts fields to an API type as the API server does: it ignores unknown fields, and
// null leaves a field empty. It returns an error for each field whose value has another type. The
// error has the field's path and the expected type, but not the value, which may be secret.
func convert(path *field.Path, fields map[string]any, into any) []error {
	if decode(fields, into) == nil {
		return nil
	}
	return findMismatches(path, fields, func(value any) error {
		return decode(value, reflect.New(reflect.TypeOf(into).Elem()).Interface())
	})
}

func decode(value, into any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(text, into)
}

// findMismatches returns the errors of the fields in a value for which decode fails. The decoder
// names neither the index in a list nor the key in a map, so each field is decoded alone.
func findMismatches(path *field.Path, value any, decode func(any) error) (found []error) {
	err := decode(value)
	if err == nil {
		return nil
	}
	if fields, _ := value.(map[string]any); decode(map[string]any{}) == nil {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			found = append(found, findMismatches(path.Child(key), fields[key],
				func(one any) error { return decode(map[string]any{key: one}) })...)
		}
	}
	if items, _ := value.([]any); decode([]any{}) == nil {
		for i, item := range items {
			found = append(found, findMismatches(path.Index(i), item,
				func(one any) error { return decode([]any{one}) })...)
		}
	}
	if len(found) > 0 {
		return found
	}
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		kind := mismatch.Type.Kind()
		err = fmt.Errorf("expected %s, found %s", cmp.Or(jsonTypes[kind], kind.String()),
			mismatch.Value)
	}
	return []error{fmt.Errorf("%s: %w", path, err)}
}

// jsonTypes has JSON's names of types that Go names differently.
var jsonTypes = map[reflect.Kind]string{reflect.Int32: "integer", reflect.Int64: "integer",
	reflect.Slice: "array", reflect.Map: "object", reflect.Struct: "object"}
