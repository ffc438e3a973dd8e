package graph_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// runs is the number of runs of each program. A race loses a dependency only in some runs, for
// example 10 to 80 of 100 for DependsOn with a component.
const runs = 50

func TestGraphRulesHoldInFiftyRuns(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			p := newProgram(t, stack)
			broken, first := map[string]int{}, ""
			for range runs {
				g := p.graph(t)
				for _, rule := range rules {
					for _, what := range rule.check(p, g) {
						broken[rule.name+": "+what]++
					}
				}
				if first == "" {
					first = g.text()
				}
				require.Equal(t, first, g.text(), "the edges differ between two runs")
			}
			assert.Empty(t, broken, "broken rules, with the number of runs of %d", runs)
		})
	}
}

// without returns a change of a graph that removes a dependency.
func without(name, need string) func(graph) {
	return func(g graph) {
		r := g[name]
		r.Dependencies = slices.DeleteFunc(r.Dependencies, func(one string) bool { return one == need })
		g[name] = r
	}
}

// both returns a change that makes two changes.
func both(first, second func(graph)) func(graph) {
	return func(g graph) { first(g); second(g) }
}

// with returns a change of one resource.
func with(name string, change func(*pulumitest.Resource)) func(graph) {
	return func(g graph) {
		r := g[name]
		change(&r)
		g[name] = r
	}
}

// alsoNeeds returns a change that adds a dependency.
func alsoNeeds(name, need string) func(graph) {
	return with(name, func(r *pulumitest.Resource) { r.Dependencies = append(r.Dependencies, need) })
}

// input returns a change that sets an input of a resource.
func input(name, key string, value any) func(graph) {
	return with(name,
		func(r *pulumitest.Resource) {
			r.Inputs[resource.PropertyKey(key)] = resource.NewPropertyValue(value)
		})
}

// Each rule must detect a graph that breaks it.
func TestEachRuleDetectsBrokenGraph(t *testing.T) { //nolint:funlen // a table of cases
	tests := []struct {
		mistake string
		rule    string
		breaks  func(graph)
	}{
		{"an edge to a component", "edges lead", alsoNeeds("metallb-namespace", "k3s")},
		{"a component that waits", "edges lead", alsoNeeds("metallb", "k3s-api")},
		{"a gate created late", "nothing is created before",
			with("k3s-api", func(r *pulumitest.Resource) { r.Order = 1000 })},
		{"a second server that does not wait for the first", "each resource waits",
			both(both(without("k3s-server-2-install", "k3s-server-1-gate"),
				without("k3s-server-2-admission", "k3s-server-1-gate")),
				without("k3s-ca-hash", "k3s-server-1-gate"))},
		{"an agent that does not wait for a server", "each resource waits",
			both(both(without("k3s-agent-2-install", "k3s-server-1-gate"),
				without("k3s-agent-2-admission", "k3s-server-1-gate")),
				without("k3s-ca-hash", "k3s-server-1-gate"))},
		{"an install that does not wait until its name is free", "each resource waits",
			without("k3s-agent-2-install", "k3s-agent-2-admission")},
		{"a push that overtakes the claim", "each resource waits", without("k3s-agent-1-binary", "k3s-agent-1-claim")},
		{"a nodes gate before the upgrade", "each resource waits", without("k3s-nodes", "k3s-upgrade")},
		{"an upgrade before the members", "each resource waits", without("k3s-upgrade", "k3s-members")},
		{"a pool before the webhook", "each resource waits", without("metallb-pool", "metallb-webhook")},
		{"agents one at a time", "nothing waits for more", alsoNeeds("k3s-agent-2-install", "k3s-agent-1-gate")},
		{"MetalLB behind all nodes", "nothing waits for more", alsoNeeds("metallb-release", "k3s-nodes")},
		{"an existing host's resource that vanishes", "what runs on a machine",
			with("k3s-agent-1-claim",
				func(r *pulumitest.Resource) { r.DeletedWith = "hosts-key" })},
		{"an object of the default provider", "an object in the cluster",
			with("metallb-pool", func(r *pulumitest.Resource) { r.Provider = "" })},
		{"an object that needs the API server to go", "an object in the cluster",
			with("metallb-release", func(r *pulumitest.Resource) { r.DeletedWith = "" })},
		{"an object before the API gate", "an object in the cluster", without("argocd-redis", "argocd-namespace")},
		{"a script without bound", "every command", input("k3s-server-1-install", "stdin",
			`{"script":"true","target":{"hostKey":"ssh-ed25519 A"}}`)},
		{"an unpinned host key", "every command", input("k3s-server-1-install", "stdin",
			`{"script":"true","timeout":"1s"}`)},
		{"a delete without a script", "every command", input("k3s-server-1-claim", "stdin",
			`{"script":"true","timeout":"1s","target":{"hostKey":"ssh-ed25519 A"}}`)},
		{"a script over the provider's SSH", "every command", with("k3s-server-1-install",
			func(r *pulumitest.Resource) { r.Type = "command:remote:Command" })},
		{"an engine that gives up first", "every command", with("k3s-server-1-install",
			func(r *pulumitest.Resource) { r.Timeouts.Create = "1s" })},
		{"a gate without bound", "every command",
			with("k3s-api", func(r *pulumitest.Resource) { r.Timeouts.Create = "" })},
		{"a gate that leaves its shell", "every command", input("k3s-api", "create", ".strata/bin/strata gate")},
		{"an uninstall with a trigger", "an uninstall", input("k3s-agent-1-claim", "triggers", []any{"x"})},
		{"an uninstall after the install", "an uninstall", alsoNeeds("k3s-agent-1-claim", "k3s-agent-1-install")},
		{"an install with a delete", "an uninstall", input("k3s-agent-1-install", "delete", "k3s-uninstall.sh")},
		{"a gate with a trigger", "only what may be replaced", input("k3s-api", "triggers", []any{"x"})},
		{"a trigger that is secret by itself", "only what may be replaced",
			input("argocd-password-time", "triggers",
				[]any{resource.MakeSecret(resource.NewProperty("x"))})},
		{"a gate that is kept when it fails", "what failed runs again",
			with("k3s-api", func(r *pulumitest.Resource) { r.DeleteFirst = false })},
		{"an install that is updated", "what failed runs again", with("k3s-agent-1-install",
			func(r *pulumitest.Resource) { r.ReplacedOn = nil })},
		{"a guard that is not asked about a leaf", "a destroy asks", without("k3s-teardown-guard", "k3s-system")},
		{"a guard that goes with the cluster", "a destroy asks", with("k3s-teardown-guard",
			func(r *pulumitest.Resource) { r.DeletedWith = "k3s-cluster" })},
		{"a step that forgets its attempt", "what failed runs again", without("crds-traefik", "crds-traefik-attempt")},
	}
	p := newProgram(t, "staging")
	sound := p.graph(t)
	for _, test := range tests {
		t.Run(test.mistake, func(t *testing.T) {
			g := sound.clone()
			test.breaks(g)
			noticed := map[string][]string{}
			for _, rule := range rules {
				if found := rule.check(p, g); len(found) > 0 {
					noticed[rule.name] = found
				}
			}
			names := slices.Collect(maps.Keys(noticed))
			assert.True(t, slices.ContainsFunc(names,
				func(name string) bool {
					return len(name) >= len(test.rule) &&
						name[:len(test.rule)] == test.rule
				}),
				"rule %q did not notice; noticed: %v", test.rule, noticed)
		})
	}
}
