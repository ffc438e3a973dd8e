package charts_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// open has values that a chart accepts without listing them, by chart, with the reasons.
var open = map[string]string{
	"argo-cd configs.params.server.insecure":                                    "every parameter of Argo CD's is taken",
	"argo-cd configs.cm.resource.customizations.health.argoproj.io_Application": "every key of argocd-cm is taken",
	"traefik service.spec.externalTrafficPolicy":                                "every field of a Service's spec is taken",
	"traefik ports.web.allowACMEByPass":                                         "it is read of every port; values.yaml has it of websecure only",
}

// unknown returns the paths of the program's values that are neither in a chart's default values
// nor in its schema. The chart would ignore them, and most schemas accept unknown values. A value
// whose default is an empty object may have any keys.
func unknown(c *chart.Chart, ours map[string]any) []string {
	defaults := map[string]any{}
	maps.Copy(defaults, c.Values)
	for _, sub := range c.Dependencies() {
		own, _ := defaults[sub.Name()].(map[string]any)
		merged := map[string]any{}
		maps.Copy(merged, sub.Values)
		maps.Copy(merged, own)
		defaults[sub.Name()] = merged
	}
	s := valuesSchema{}
	if c.Schema != nil {
		if err := json.Unmarshal(c.Schema, &s.root); err != nil {
			return []string{"the chart's schema: " + err.Error()}
		}
	}
	return slices.DeleteFunc(s.unknown(ours, defaults, s.root, nil), func(path string) bool {
		return open[c.Name()+" "+path] != ""
	})
}

// valuesSchema is the schema of a chart's values; empty if it has none.
type valuesSchema struct{ root map[string]any }

func (s valuesSchema) unknown(ours, defaults, at map[string]any, path []string) []string {
	var found []string
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		value, inValues := defaults[key]
		property, inSchema := s.property(at, key)
		here := append(slices.Clone(path), key)
		if !inValues && !inSchema {
			found = append(found, strings.Join(here, "."))
			continue
		}
		below, isMap := ours[key].(map[string]any)
		own, _ := value.(map[string]any)
		if _, closed := property["properties"]; isMap && (len(own) > 0 || closed) {
			found = append(found, s.unknown(below, own, property, here)...)
		}
	}
	return found
}

// property returns the schema of a key below at. It follows references within the file.
func (s valuesSchema) property(at map[string]any, key string) (map[string]any, bool) {
	properties, _ := at["properties"].(map[string]any)
	found, ok := properties[key].(map[string]any)
	if reference, is := found["$ref"].(string); is && strings.HasPrefix(reference, "#/") {
		target := s.root
		for step := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
			target, _ = target[step].(map[string]any)
		}
		found = target
	}
	return found, ok
}
