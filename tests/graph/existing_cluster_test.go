package graph_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/address"
	"strata/health/crds"
	"strata/health/http"
	"strata/health/kinds"
	"strata/health/webhook"
	"strata/tests/pulumitest"
)

func TestExistingClusterGraphMatchesGoldenFile(t *testing.T) {
	golden(t, filepath.Join(root, "tests/graph/testdata/existing_everything.golden"),
		everything(t, newProgram(t, "kind")).graph(t).text())
}

// Layers have the same dependencies in existing clusters and in clusters that Strata creates,
// except for the cluster's own gates and for DeletedWith.
func TestLayersHaveSameDependenciesInBothClusterKinds(t *testing.T) {
	ours := everything(t, newProgram(t, "local")).graph(t)
	kind := everything(t, newProgram(t, "kind"))
	kind.change(t, "cluster", section{"networkPolicies": true})
	theirs := kind.graph(t)
	layersOf := func(g graph) graph {
		layers := graph{}
		for name, r := range g {
			if !slices.Contains([]string{"hosts", "k3s", "cluster", "k3s-teardown",
				"cluster-teardown"},
				g.layer(name)) {
				layers[name] = r
			}
		}
		return layers
	}
	counterpart := strings.NewReplacer("k3s-upgrade", "cluster-identity", "k3s-teardown",
		"cluster-teardown", "k3s-provider", "cluster-provider")
	above := layersOf(ours)
	assert.Equal(t, above.names(), layersOf(theirs).names())
	assert.Greater(t, len(above), 80)
	for name, r := range above {
		var needs []string
		for _, need := range r.Dependencies {
			need = counterpart.Replace(need)
			if above[need].Name != "" || theirs[need].Name != "" { // others are ways to hosts
				needs = append(needs, need)
			}
		}
		assert.ElementsMatch(t, needs, theirs[name].Dependencies, name)
		assert.Empty(t, theirs[name].DeletedWith, name)
	}
}

func TestExistingClusterGatesUseOnlyKubernetesAPI(t *testing.T) {
	g := everything(t, newProgram(t, "kind")).graph(t)
	gates := g.where(func(r pulumitest.Resource) bool {
		return r.Text("create") == pulumitest.GateCommand
	})
	assert.Greater(t, len(gates), 20)
	for _, name := range gates {
		spec, err := kinds.Parse([]byte(g[name].Text("stdin")))
		require.NoError(t, err, name)
		if spec.Kind() != crds.Kind { // the mock applies none
			require.NoError(t, spec.Validate(), name)
		}
		assert.Empty(t, spec.Hosts, name)
		assert.True(t, spec.Existing, name)
		assert.Equal(t, []string{"https://127.0.0.1:34567"}, spec.Servers, name)
		assert.NotContains(t, g[name].Inputs["environment"].String(), "STRATA_SSH_KEY", name)
	}
}

// Docker Desktop does not expose the addresses of kind's nodes. So the settings of
// docs/existing-clusters.md must omit the gates that connect to load balancer addresses.
func TestValidateSkipOmitsAddressAndHTTPGatesOfAPISIX(t *testing.T) {
	p := newProgram(t, "kind")
	p.set(t, "ingress", map[string]any{"controllers": []string{"apisix"}})
	kindsOf := func(validate string) map[health.Kind]bool {
		p.set(t, "apps", map[string]any{"demo": true, "restImage": "localhost/strata/go-rest:1.0.0",
			"validate": validate})
		g, found := p.graph(t), map[health.Kind]bool{}
		for _, name := range g.where(func(r pulumitest.Resource) bool {
			return r.Text("create") == pulumitest.GateCommand
		}) {
			spec, err := kinds.Parse([]byte(g[name].Text("stdin")))
			require.NoError(t, err, name)
			found[spec.Kind()] = true
		}
		return found
	}
	skip, full := kindsOf("skip"), kindsOf("full")
	for _, kind := range []health.Kind{address.Kind, http.Kind} {
		assert.False(t, skip[kind], kind)
		assert.True(t, full[kind], kind)
	}
	assert.True(t, skip[webhook.Kind], "these gates are what they are with full")
}

func TestExistingClusterRulesDetectBrokenGraph(t *testing.T) {
	p := newProgram(t, "kind")
	sound := p.graph(t)
	for mistake, breaks := range map[string]func(graph){
		"an object that goes with something": with("metallb-pool", func(r *pulumitest.Resource) {
			r.DeletedWith = "cluster-provider"
		}),
		"a command that goes with something": with("crds-gateway-api",
			func(r *pulumitest.Resource) {
				r.DeletedWith = "cluster-api"
			}),
		"an object of another provider": with("metallb-pool", func(r *pulumitest.Resource) {
			r.Provider = "k3s-provider"
		}),
		"an object before the API gate": both(without("metallb-namespace",
			"cluster-teardown-first"),
			without("metallb-namespace-end", "cluster-teardown-first")),
		"a provider before the API gate":          without("cluster-provider", "cluster-identity"),
		"MetalLB behind all nodes":                alsoNeeds("metallb-release", "cluster-nodes"),
		"a table of Nodes that are not there yet": without("cluster-node-list", "cluster-nodes"),
	} {
		t.Run(mistake, func(t *testing.T) {
			g := sound.clone()
			breaks(g)
			noticed := 0
			for _, rule := range rules {
				noticed += len(rule.check(p, g))
			}
			assert.Positive(t, noticed)
		})
	}
}

// A renewed credential must reach the provider, the gates and the commands. It must not change the
// cluster's identity.
func TestRenewedCredentialKeepsClusterIdentity(t *testing.T) {
	p := newProgram(t, "kind")
	before := p.graph(t)
	p.project.UseExistingCluster(t, pulumitest.CA, "renewed-token")
	after := p.graph(t)
	assert.Equal(t, before["cluster-provider"].Inputs["clusterIdentifier"],
		after["cluster-provider"].Inputs["clusterIdentifier"])
	for _, name := range before.names() {
		assert.Equal(t, visible(resource.NewProperty(before[name].Inputs)),
			visible(resource.NewProperty(after[name].Inputs)), name)
	}
	assert.True(t, pulumitest.Contains(after["cluster-provider"].Inputs["kubeconfig"],
		"renewed-token"))
	assert.False(t, pulumitest.Contains(after["cluster-provider"].Inputs["kubeconfig"],
		"of-another-user"),
		"another context's credential")

	p.project.UseExistingCluster(t, "YW5vdGhlciBhdXRob3JpdHk=", pulumitest.ClientKey)
	assert.NotEqual(t, before["cluster-provider"].Inputs["clusterIdentifier"],
		p.graph(t)["cluster-provider"].Inputs["clusterIdentifier"],
		"another cluster under the same name")
}

func TestMissingKubeconfigContextFailsBeforeAnyResource(t *testing.T) {
	config := func() string { return filepath.Join(os.Getenv("HOME"), ".kube", "config") }
	for name, test := range map[string]struct {
		breaks func(t *testing.T, p *program)
		want   string
	}{
		"no kubeconfig": {func(t *testing.T, _ *program) {
			require.NoError(t, os.Remove(config()))
		}, "strata:cluster.kubeconfig: "},
		"no such context": {func(t *testing.T, p *program) {
			p.set(t, "cluster", map[string]any{"context": "kind-other",
				"podNetwork": "10.244.0.0/16"})
		},
			"strata:cluster.context: kind-other is no context of "},
		"no context": {func(t *testing.T, p *program) {
			p.set(t, "cluster", map[string]any{"kubeconfig": config()})
		}, "strata:cluster.context: is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, "kind")
			test.breaks(t, p)
			g, err := p.run(nil)
			require.ErrorContains(t, err, test.want)
			assert.Empty(t, g)
		})
	}
}

func TestFailedResourceStopsDependentsInExistingCluster(t *testing.T) {
	p := newProgram(t, "kind")
	sound := p.graph(t)
	for _, name := range []string{"cluster-api", "cluster-provider", "cluster-nodes", "cluster-node-list",
		"metallb-release"} {
		g, err := p.run(pulumitest.FailName(name))
		require.ErrorContains(t, err, name+": made to fail")
		for _, other := range sound.names() {
			if sound.reaches(other, name) || sound[other].Provider == name {
				assert.NotContains(t, g, other, "it needs %s", name)
			}
		}
	}
}
