package pulumitest

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// FindPlain returns the paths in a value at which text appears outside a secret. path is the path
// of the value itself.
func FindPlain(path string, value resource.PropertyValue, text string) []string {
	if value.IsSecret() || value.IsOutput() && value.OutputValue().Secret {
		return nil
	}
	return find(path, value, text, FindPlain)
}

// Contains reports whether text appears in a value, secret or not.
func Contains(value resource.PropertyValue, text string) bool {
	var all func(string, resource.PropertyValue, string) []string
	all = func(path string, value resource.PropertyValue, text string) []string {
		return find(path, value, text, all)
	}
	return len(all("", value, text)) > 0
}

// find checks a value itself, and calls below for its parts.
func find(
	path string, value resource.PropertyValue, text string,
	below func(string, resource.PropertyValue, string) []string,
) []string {
	var found []string
	switch {
	case value.IsSecret():
		return below(path, value.SecretValue().Element, text)
	case value.IsOutput():
		return below(path, value.OutputValue().Element, text)
	case value.IsString() && strings.Contains(value.StringValue(), text):
		return []string{path}
	case value.IsArray():
		for i, element := range value.ArrayValue() {
			found = append(found, below(fmt.Sprintf("%s[%d]", path, i), element, text)...)
		}
	case value.IsObject():
		for key, field := range value.ObjectValue() {
			found = append(found, below(path+"."+string(key), field, text)...)
		}
	}
	return found
}
