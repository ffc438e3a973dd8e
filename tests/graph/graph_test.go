// Package graph_test runs the real program with each committed stack file under Pulumi's mocks. It
// compares the registered resources and dependencies with golden files, and checks rules for the
// dependencies. It runs neither the engine (tests/engine) nor any command.
package graph_test

import (
	"maps"
	"slices"

	"strata/tests/pulumitest"
)

// graph has the registered resources of one run, by name.
type graph map[string]pulumitest.Resource

// newGraph returns the graph of registered resources, whose names must be unique.
func newGraph(resources []pulumitest.Resource) graph {
	g := graph{}
	for _, r := range resources {
		if _, twice := g[r.Name]; twice {
			panic("two resources are called " + r.Name)
		}
		g[r.Name] = r
	}
	return g
}

// names returns the names of all resources, sorted.
func (g graph) names() []string { return slices.Sorted(maps.Keys(g)) }

// where returns the names of the resources that match, sorted.
func (g graph) where(match func(pulumitest.Resource) bool) []string {
	return slices.DeleteFunc(g.names(), func(name string) bool { return !match(g[name]) })
}

// layer returns the outermost component of a resource.
func (g graph) layer(name string) string {
	for g[name].Parent != "" {
		name = g[name].Parent
	}
	return name
}

// path returns the shortest chain of dependencies from one resource to another, including both; nil
// if there is none.
func (g graph) path(from, to string) []string {
	came := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			return unwind(came, to)
		}
		for _, next := range g[queue[0]].Dependencies {
			if _, seen := came[next]; !seen {
				came[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// needs returns the number of resources on which a resource depends, directly or indirectly.
func (g graph) needs(name string) int {
	seen := map[string]bool{}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, next := range g[queue[0]].Dependencies {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return len(seen)
}

func unwind(came map[string]string, end string) []string {
	var chain []string
	for at := end; at != ""; at = came[at] {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	return chain
}

// reaches reports whether a resource depends on another one, directly or indirectly.
func (g graph) reaches(from, to string) bool { return g.path(from, to) != nil }

// clone returns a copy of the graph whose resources can be changed.
func (g graph) clone() graph {
	copied := graph{}
	for name, r := range g {
		r.Dependencies = slices.Clone(r.Dependencies)
		r.Inputs = r.Inputs.Copy()
		copied[name] = r
	}
	return copied
}
