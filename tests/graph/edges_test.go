package graph_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/health/kinds"
)

// row is one requirement of the platform's dependency matrix: component must wait for dependsOn,
// tested by check within limit. The other fields name resources that implement the requirement.
type row struct {
	component, dependsOn, check, limit string
	// edges are the dependencies of the resource graph that implement the requirement.
	edges []need
	// gate is the name of the resource that runs the required check.
	gate string
	// note describes how the graph differs from the requirement. relaxed is a required dependency
	// that the graph must not have, by the ADR in note.
	note    string
	relaxed *need
}

// matrix returns the rows of the platform's dependency matrix for the nodes of p.
func matrix(p *program) []row {
	servers, agents := p.nodes(config.RoleServer), p.nodes(config.RoleAgent)
	first, agent := servers[0], agents[0]
	var masters, ready, workers, nodes []need
	for _, server := range servers {
		masters = append(masters, need{"k3s-" + server + "-install", "hosts-" + server + "-gate"})
		ready = append(ready, need{"k3s-api", "k3s-" + server + "-install"})
	}
	for _, agent := range agents {
		workers = append(workers, need{"k3s-" + agent + "-install", "k3s-" + first + "-gate"},
			need{"k3s-" + agent + "-install", "hosts-" + agent + "-gate"})
		nodes = append(nodes, need{"k3s-nodes", "k3s-" + agent + "-install"})
	}
	return []row{
		{"K3s Master Install", "Master VMs", "VM Health Check", "5 min", masters,
			"hosts-" + first + "-gate", "", nil},
		{"K3s Master Ready", "Master Install", "K3s API Health", "10 min", ready, "k3s-api",
			"", nil},
		{"K3s Worker Install", "K3s Credentials", "VM Health Check", "5 min", workers,
			"hosts-" + agent + "-gate",
			"The credentials are a token that is known from the start; what a worker needs is a server that answers.",
			nil},
		{"K3s Worker Ready", "Worker Install", "K3s Node Health", "10 min", nodes, "k3s-nodes",
			"", nil},
		{"MetalLB Chart", "Worker Ready", "None", "-", []need{{"metallb-release", "k3s-api"}},
			"k3s-api",
			"Relaxed: the release waits for the API, not for every node ([ADR " +
				"0006](adr/0006-metallb-starts-at-the-api-gate.md)).",
			&need{"metallb-release", "k3s-nodes"}},
		{"MetalLB IPAddressPool", "Webhook Health", "Webhook Health", "5 min",
			[]need{{"metallb-pool", "metallb-webhook"}}, "metallb-webhook", "", nil},
		{"Traefik Chart", "IPAddressPool", "None", "-",
			[]need{{"traefik-release", "metallb-pool-gate"}}, "metallb-pool-gate",
			"The working pool, not the chart: a Service without a pool stays pending.", nil},
		{"ArgoCD Chart", "Traefik Chart", "None", "-",
			[]need{{"argocd-route", "traefik-programmed"}},
			"traefik-programmed",
			"Relaxed: only the route waits for Traefik, the release does not ([ADR " +
				"0008](adr/0008-argocd-starts-at-the-api-gate.md)).",
			&need{"argocd-release", "traefik-release"}},
	}
}

func TestEdgesPageMatchesGraph(t *testing.T) {
	p := newProgram(t, "staging")
	g := p.graph(t)
	golden(t, filepath.Join(root, "docs/edges.md"),
		edgesPage(t, p, g)+planPage(withAPISIX(t, "full").graph(t)))
}

// edgesPage returns the text of docs/edges.md. It fails the test if a row is not fulfilled, or if
// the graph has a dependency that is marked as relaxed.
func edgesPage(t *testing.T, p *program, g graph) string {
	t.Helper()
	var page strings.Builder
	page.WriteString(
		"# Edges\n\nGenerated from the graph of stack staging by `make golden`; do not edit.\n\n" +
			"Each layer, and the gates that have to open before a part of it begins:\n\n" +
			g.diagram() + "\n" +
			"Each component with the component and the health check that it depends on, and the chain of\n" +
			"resource edges that keeps it. `a ← b` reads: a is created only when b is there, and b is there\n" +
			"only when it works. The whole graph is in `tests/graph/testdata`.\n\n" +
			"| component | depends on | health check | kept by | gate and its limit |\n" +
			"| --- | --- | --- | --- | --- |\n",
	)
	for _, row := range matrix(p) {
		var chains []string
		for _, edge := range row.edges {
			chain := g.path(edge.from, edge.to)
			require.NotNil(t, chain, "row %s: %s does not wait for %s", row.component, edge.from,
				edge.to)
			chains = append(chains, "`"+strings.Join(chain, " ← ")+"`")
		}
		if row.relaxed != nil {
			require.False(t, g.reaches(row.relaxed.from, row.relaxed.to),
				"row %s is kept as it was: say so", row.component)
		}
		if row.note != "" {
			chains = append(chains, row.note)
		}
		fmt.Fprintf(&page, "| %s | %s | %s, %s | %s | %s |\n", row.component, row.dependsOn,
			row.check, row.limit,
			strings.Join(chains, "<br>"), gateAndLimit(t, g, row.gate))
	}
	return page.String()
}

// gateAndLimit returns the name of a gate and the timeout in its spec.
func gateAndLimit(t *testing.T, g graph, gate string) string {
	t.Helper()
	if gate == "" {
		return "–"
	}
	spec, err := kinds.Parse([]byte(g[gate].Text("stdin")))
	require.NoError(t, err, gate)
	return fmt.Sprintf("`%s` (%s), %s, `%s`", gate, spec.Kind(), spec.Timeout.Round(time.Second),
		spec.TimeoutKey)
}
