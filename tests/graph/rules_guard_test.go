package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/actions/stack/teardown"
)

// guardOf returns the name of the last guard of a cluster.
func guardOf(p *program) string {
	if p.cfg.OnExistingCluster() {
		return "cluster-teardown-guard"
	}
	return "k3s-teardown-guard"
}

// guardKnowsObjects checks that the guard's input lists each object in the cluster. The guard
// regards a missing object as another owner's, and refuses to delete its namespace.
func guardKnowsObjects(p *program, g graph) []string {
	var input teardown.Guard
	if err := json.Unmarshal([]byte(g[guardOf(p)].Text("stdin")), &input); err != nil {
		return []string{err.Error()}
	}
	var broken []string
	for _, name := range g.names() {
		typed, isObject := strings.CutPrefix(g[name].Type, "kubernetes:")
		if !isObject {
			continue
		}
		fields := g[name].Inputs.Mappable()
		version, kind, _ := strings.Cut(strings.TrimPrefix(typed, "core/"), ":")
		if kind != "Release" {
			fields, _ = fields["metadata"].(map[string]any)
		}
		called, known := fields["name"].(string)
		if namespace, spaced := fields["namespace"].(string); spaced {
			called = namespace + "/" + called
		}
		group := schema.FromAPIVersionAndKind(version, kind).GroupKind().String()
		if known && !input.Objects.Has(group, called) {
			broken = append(broken, fmt.Sprintf("%s: the guard does not know %s %s", name, group,
				called))
		}
	}
	return broken
}
