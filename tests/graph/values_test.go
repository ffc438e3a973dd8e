package graph_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/platform"
	"strata/tests/pulumitest"
)

// section is a part of the configuration, in YAML's types.
type section = map[string]any

// with returns the graph of stack local with every chart, and other values at some keys.
func (p *program) with(t *testing.T, other map[string]any) graph {
	t.Helper()
	keys := pulumitest.EveryLayer()
	maps.Copy(keys, other)
	p.commit(t)
	for name, more := range pulumitest.Sections(t, keys) {
		p.change(t, name, more.(section))
	}
	return p.graph(t)
}

// leaves returns the paths of a release's values that are no objects, or empty ones.
func leaves(path string, value resource.PropertyValue) []string {
	if !value.IsObject() || len(value.ObjectValue()) == 0 {
		return []string{path}
	}
	var found []string
	for name, below := range value.ObjectValue() {
		found = append(found, leaves(config.ValuePath(path, string(name)), below)...)
	}
	slices.Sort(found)
	return found
}

// Each value that the program sets in a chart must be in one of two lists: values that users must
// not set, with the reasons, and values that users may override. The variants are the
// configurations on which the program's values depend.
func TestUsersCannotOverrideRequiredChartValues(t *testing.T) {
	for name, variant := range map[string]map[string]any{
		"plain": nil,
		"all": {"traefik.address": "10.10.0.205", "apisix.address": "10.10.0.206",
			"vault.storage": section{"class": "fast"}},
		"brief": {"vault.storage": section{"persistent": false}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newProgram(t, "local").with(t, variant)
			for key, chart := range pulumitest.Charts {
				values, _ := g[chart.Release].Input("values")
				paths := leaves("", values)
				require.NotEmpty(t, paths, chart.Release)
				for _, path := range paths {
					if (config.Values{Key: key}).GivesWay(path) {
						continue
					}
					err := load(t, map[string]any{"cluster.context": "kind-kind",
						"metallb.addresses": []string{"10.0.0.1-10.0.0.9"},
						key + "." + path:    "mine"})
					assert.ErrorContains(t, err, "is not for values to set", "%s: %s", key, path)
				}
			}
		})
	}
}

// load loads a configuration with these keys and returns its error.
func load(t *testing.T, keys map[string]any) error {
	t.Helper()
	raw := map[string]string{}
	for name, one := range pulumitest.Sections(t, keys) {
		text, err := json.Marshal(one)
		require.NoError(t, err)
		raw[name] = string(text)
	}
	_, err := config.Load("dev", raw, func(string) string { return "" })
	return err
}

// The user's values must reach the release of their chart and no other. The gates of the release
// run again, and nothing else changes.
func TestEachChartsValuesReachItsRelease(t *testing.T) {
	p := newProgram(t, "local")
	before := p.with(t, nil)
	for key, chart := range pulumitest.Charts {
		t.Run(key, func(t *testing.T) {
			after := p.with(t, map[string]any{
				key: section{"podAnnotations": section{"example.org/mine": "yes"}}})
			require.Equal(t, before.names(), after.names())
			assert.ElementsMatch(t, changesOf(chart, before), changedIn(before, after))
			had, _ := before[chart.Release].Input("values")
			have, _ := after[chart.Release].Input("values")
			values := have.ObjectValue()
			assert.Equal(t, "yes", values["podAnnotations"].ObjectValue()["example.org/mine"].StringValue())
			for name, ours := range had.ObjectValue() {
				assert.True(t, ours.DeepEquals(values[name]), "ours stand: %s", name)
			}
		})
	}
}

// changesOf returns a chart's release, the resources that run again, and the random values of their
// commands.
func changesOf(chart pulumitest.Chart, g graph) []string {
	names := []string{chart.Release}
	for _, name := range chart.Again {
		names = append(names, name)
		if _, ok := g[name+"-attempt"]; ok {
			names = append(names, name+"-attempt")
		}
	}
	return names
}

// changedIn returns the resources whose inputs changed.
func changedIn(before, after graph) (names []string) {
	for _, name := range before.names() {
		if !before[name].Inputs.DeepEquals(after[name].Inputs) {
			names = append(names, name)
		}
	}
	return names
}

// The values of a section with a secret must never be in plain text, and neither may their digest.
// If the values change, only a random value in plain text may change.
func TestChartValuesOfSecretSectionAreNowhereInPlainText(t *testing.T) {
	p := newProgram(t, "local")
	for key, chart := range pulumitest.Charts {
		t.Run(key, func(t *testing.T) {
			name, _, _ := strings.Cut(key, ".")
			t.Setenv(pulumi.EnvConfigSecretKeys, `["strata:`+name+`"]`)
			first := p.with(t, map[string]any{
				key: section{"podAnnotations": section{"token": "hunter2"}}})
			second := p.with(t, map[string]any{
				key: section{"podAnnotations": section{"token": "hunter3"}}})
			for _, r := range first {
				for input, value := range r.Inputs {
					assert.Empty(t, pulumitest.FindPlain(string(input), value, "hunter2"), r.Name)
				}
			}
			assert.True(t, pulumitest.Contains(first[chart.Release].Inputs["values"], "hunter2"))
			for _, name := range chart.Again {
				assert.NotEqual(t, first[name].Text("stdin"), second[name].Text("stdin"),
					"%s runs again", name)
			}
		})
	}
}

func TestTrafficPolicyReachesServicesAndGates(t *testing.T) {
	p := newProgram(t, "local")
	before := p.with(t, nil)
	after := p.with(t,
		map[string]any{"traefik.externalTrafficPolicy": "Local",
			"apisix.externalTrafficPolicy": "Local"})
	for release, path := range map[string][]resource.PropertyKey{
		"traefik-release": {"service", "spec", "externalTrafficPolicy"},
		"apisix-release":  {"service", "externalTrafficPolicy"},
	} {
		for policy, g := range map[string]graph{"Cluster": before, "Local": after} {
			at, _ := g[release].Input("values")
			for _, step := range path {
				at = at.ObjectValue()[step]
			}
			assert.Equal(t, policy, at.StringValue(), release)
		}
	}
	assert.ElementsMatch(t, []string{
		"traefik-release", "traefik-rollout", "traefik-address", "apisix-release", "apisix-rollout",
		"apisix-address", "validation-upstreams",
	}, changedIn(before, after))
}

// The program only warns of an unreadable chart, because Helm reports the error later.
func TestUnreadableChartCausesWarning(t *testing.T) {
	p := newProgram(t, "local")
	warnings := p.warnings(t, map[string]any{
		"traefik.values": section{"log": section{"level": "DEBUG"}}})
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "strata:traefik.values: not compared with what the chart has: ")
}

// Strata knows only the flags of the pinned K3s. So with another version, an unknown flag only
// causes a warning.
func TestUnknownServerArgWarnsForOtherK3sVersion(t *testing.T) {
	p := newProgram(t, "local")
	warnings := p.warnings(t,
		map[string]any{"k3s.version": "v1.34.2+k3s1",
			"k3s.serverArgs": section{"flanel-backend": "host-gw"}})
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], `strata:k3s.serverArgs["flanel-backend"]: is no key of a K3s server `)
}

// warnings returns the program's warnings with a changed configuration.
func (p *program) warnings(t *testing.T, change map[string]any) (warnings []string) {
	t.Helper()
	p.with(t, change)
	program := platform.Program{Warn: func(_ *pulumi.Context, message string) error {
		warnings = append(warnings, message)
		return nil
	}}
	require.NoError(t,
		pulumi.RunErr(program.Run,
			pulumi.WithMocks("strata", p.stack, &pulumitest.Recorder{Outputs: p.answers.Outputs})))
	return warnings
}
