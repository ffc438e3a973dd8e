package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// isBooleanWord reports whether a value is a text that YAML 1.1, and so Helm and K3s in their own
// files, reads as a boolean. Pulumi reads it as a text.
func isBooleanWord(value any) bool {
	return slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(fmt.Sprint(value)))
}

// BooleanWords returns a problem for each of the texts yes, no, on and off where the chart's
// defaults have a boolean. Templates take any text for true.
func (v Values) BooleanWords(defaults map[string]any) []Problem {
	var ps problems
	ps.addBooleanWords(v.Key, v.Tree, defaults)
	return ps
}

func (ps *problems) addBooleanWords(path string, value, byDefault any) {
	if below, isObject := value.(map[string]any); isObject {
		defaults, _ := byDefault.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(below)) {
			ps.addBooleanWords(ValuePath(path, name), below[name], defaults[name])
		}
		return
	}
	_, isBoolean := byDefault.(bool)
	ps.addIf(isBoolean && isBooleanWord(value), field("%s", path), "",
		"is a text in a stack file, and the chart has a boolean there", "write true or false")
}
