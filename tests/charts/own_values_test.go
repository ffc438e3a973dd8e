package charts_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"strata/artifacts/helmchart"
	"strata/config"
	"strata/tests/pulumitest"
)

// withOwn returns a platform's keys with the user's values for every chart.
func withOwn(t *testing.T, keys map[string]any) map[string]any {
	t.Helper()
	all := map[string]any{"metallb.addresses": []string{"10.10.0.200-10.10.0.210"}}
	maps.Copy(all, keys)
	for key, chart := range pulumitest.Charts {
		var values any
		require.NoError(t, yaml.Unmarshal([]byte(chart.Values), &values))
		all[key] = values
	}
	return all
}

// Each available chart must accept the user's values besides the program's, and render them. The
// objects that gates and edges depend on must still exist.
func TestUserValuesAreRenderedAndRemoveNoObjectThatGatesNeed(t *testing.T) {
	seen := map[string]bool{}
	for _, platform := range platforms[:3] {
		t.Run(platform.name, func(t *testing.T) {
			p := newProgram(t, withOwn(t, platform.keys))
			for _, release := range p.releases {
				one := release.row
				require.NotEmpty(t, one.Want, "say which values of %s a user may set", release.key)
				objects, err := release.render()
				require.NoError(t, err)
				found, ok := find(objects, one.Kind, release.namespace, one.Name)
				require.True(t, ok, "%s %s", one.Kind, one.Name)
				assert.Contains(t, string(found.text), one.Want, release.chartName())
				seen[release.key] = true
			}
			problems, _ := newWorld(t, p).check()
			assert.Empty(t, problems)
			assert.Empty(t, p.warnings)
		})
	}
	assert.Len(t, seen, len(pulumitest.Charts)-len(pulumitest.WithoutStandIn), "%v", seen)
	t.Logf("not checked: %v", pulumitest.WithoutStandIn)
}

func TestUnknownChartValueCausesWarning(t *testing.T) {
	p := newProgram(t, map[string]any{
		"metallb.addresses": []string{"10.10.0.200-10.10.0.210"},
		"metallb.values":    map[string]any{"speakr": map[string]any{"enabled": true}},
	})
	assert.Equal(t,
		[]string{
			"strata:metallb.values.speakr: is no value that the chart has, so it would be " +
				"ignored; did you mean speaker?"}, p.warnings)
}

// Helm would refuse these values only in the middle of an update. So the program checks all values
// against the charts' schemas before the first resource.
func TestValuesAgainstChartSchemaFailBeforeAnyResource(t *testing.T) {
	_, err := runProgram(t, map[string]any{"traefik.values": map[string]any{
		"image": map[string]any{"tag": 3},
		"ports": map[string]any{"web": map[string]any{
			"redirectTo": map[string]any{"port": "websecure"}},
			"websecure": map[string]any{"tls": map[string]any{"enabled": true}}},
	}, "argocd.values": map[string]any{"dex": map[string]any{"enabled": "no"}}})
	require.ErrorContains(t, err, "configuration of stack staging:\n")
	require.ErrorContains(t, err, "strata:argocd.values.dex.enabled: is a text in a stack file")
	require.ErrorContains(t, err,
		"strata:traefik.values.image.tag: 3 is refused by the chart's schema: expected string")
	assert.ErrorContains(t, err, "strata:traefik.values.ports.web: ")
	assert.ErrorContains(t, err, "'redirectTo' not allowed")
	assert.ErrorContains(t, err, "strata:traefik.values.ports.websecure: ")
	assert.ErrorContains(t, err, "'tls' not allowed")
}

// Package helmchart reads charts without Helm. It must find the same keys of values as Helm.
func TestChartReaderFindsSameKeysAsHelm(t *testing.T) {
	for _, platform := range platforms {
		for _, release := range newProgram(t, platform.keys).releases {
			read, err := helmchart.Read(release.chart)
			require.NoError(t, err)
			known := read.Keys()
			for name := range release.load().Values {
				assert.Contains(t, known, name, release.chartName())
			}
			for name := range release.values {
				assert.Contains(t, known, name, release.chartName())
			}
		}
	}
}

// The program refuses a user's value only if it would remove or change an object that gates or
// edges depend on.
func TestEachRefusedValueWouldBreakAGateOrEdge(t *testing.T) {
	cases := []struct{ release, path, values string }{
		{"traefik", "ports.web.port", `{ports: {web: {port: 9000}}}`},
		{"traefik", "ports.websecure.exposedPort", `{ports: {websecure: {exposedPort: 8443}}}`},
		{"traefik", "service.spec.type", `{service: {spec: {type: ClusterIP}}}`},
		{"traefik", "gatewayClass.enabled", `{gatewayClass: {enabled: false}}`},
		{"argocd", "server.service.servicePortHttp",
			`{server: {service: {servicePortHttp: 8080}}}`},
		{"vault", "server.service.port", `{server: {service: {port: 8300}}}`},
		{"metallb", "crds.enabled", `{crds: {enabled: false}}`},
		{"metallb", "speaker.enabled", `{speaker: {enabled: false}}`},
		{"cert-manager", "webhook.url", `{webhook: {url: {host: webhook.example.org}}}`},
	}
	for _, release := range []string{"metallb", "cert-manager", "vault", "traefik", "argocd"} {
		cases = append(cases,
			struct{ release, path, values string }{release, "fullnameOverride",
				`{fullnameOverride: other}`})
	}
	p := newProgram(t, platforms[2].keys)
	for _, mutant := range cases {
		t.Run(mutant.release+" "+mutant.path, func(t *testing.T) {
			var values map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(mutant.values), &values))
			broken := *p
			broken.releases = slices.Clone(p.releases)
			i := slices.IndexFunc(p.releases,
				func(r *release) bool { return r.name == mutant.release })
			require.GreaterOrEqual(t, i, 0)
			other := *p.releases[i]
			paths := config.OwnedValues()[other.key]
			assert.True(t, slices.ContainsFunc(paths, func(o config.OwnedValue) bool {
				return strings.HasPrefix(mutant.path, o.Path)
			}), "it is refused")
			other.values = over(other.values, values)
			broken.releases[i] = &other
			if _, err := other.render(); err != nil {
				return // the chart itself refuses it
			}
			problems, _ := newWorld(t, &broken).check()
			assert.NotEmpty(t, problems)
		})
	}
}

// over returns a copy of values with others merged over them.
func over(values, others map[string]any) map[string]any {
	merged := maps.Clone(values)
	for key, value := range others {
		below, isObject := value.(map[string]any)
		had, both := merged[key].(map[string]any)
		if isObject && both {
			value = over(had, below)
		}
		merged[key] = value
	}
	return merged
}

// elsewhere has refused values that a chart accepts without listing them, with the reasons.
var elsewhere = map[string]string{
	"cert-manager serviceAccount.name": "in a comment of its values, and read by its templates",
	"cert-manager installCRDs":         "the older name of crds.enabled",
	"cert-manager nameOverride":        "read by its templates",
	"cert-manager fullnameOverride":    "read by its templates",
	"traefik service.annotations":      "every annotation is taken",
	"apisix service.annotations":       "every annotation is taken",
	"traefik service.spec":             "every field of a Service's spec is taken",
	"argo-cd configs.params":           "every parameter of Argo CD's is taken",
	"argo-cd configs.cm":               "every key of argocd-cm is taken",
	"traefik tlsStore.default":         "every TLSStore is taken",
	"apisix service.loadBalancerIP":    "read by its templates",
	"vault nameOverride":               "read by its templates",
	"vault fullnameOverride":           "read by its templates",
}

// If a chart lacks a refused value, a later version may have renamed the value. The lab's charts
// are not checked, because they only have the values that the program sets.
func TestRefusedValuesExistInUpstreamCharts(t *testing.T) {
	for _, platform := range platforms[:3] {
		p := newProgram(t, platform.keys)
		for _, release := range p.releases {
			loaded := release.load()
			if !strings.HasPrefix(release.origin, "real") {
				t.Logf("not checked: %s; %s", release.chartName(), release.origin)
				continue
			}
			for _, value := range config.OwnedValues()[release.key] {
				known := slices.ContainsFunc(slices.Collect(maps.Keys(elsewhere)),
					func(one string) bool {
						return strings.HasPrefix(loaded.Name()+" "+value.Path, one)
					})
				if known {
					continue
				}
				values := pulumitest.Sections(t, map[string]any{value.Path: "any"})
				assert.Empty(t, unknown(loaded, values), "%s does not have this value",
					release.chartName())
			}
		}
	}
}

// If the user enables Argo CD's own NetworkPolicies, its server must still admit every client.
// Otherwise the ingress could not reach it.
func TestArgoCDPoliciesAdmitIngress(t *testing.T) {
	policies := map[string]any{"create": true}
	p := newProgram(t, map[string]any{"argocd.values": map[string]any{
		"global": map[string]any{"networkPolicy": policies}}})
	i := slices.IndexFunc(p.releases, func(r *release) bool { return r.name == "argocd" })
	require.GreaterOrEqual(t, i, 0)
	objects, err := p.releases[i].render()
	require.NoError(t, err)
	server, ok := find(objects, "NetworkPolicy", "argocd", "argocd-server")
	require.True(t, ok)
	var policy networkingv1.NetworkPolicy
	require.NoError(t, json.Unmarshal(server.text, &policy))
	assert.True(t, slices.ContainsFunc(policy.Spec.Ingress,
		func(rule networkingv1.NetworkPolicyIngressRule) bool {
			return len(rule.From) == 0 && (len(rule.Ports) == 0 ||
				rule.Ports[0].Port.StrVal == "server")
		}), "%s", server.text)
	problems, _ := newWorld(t, p).check()
	assert.Empty(t, problems)
}
