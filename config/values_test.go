package config_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// valuesRules are cases for the user's values of charts.
var valuesRules = []rule{
	{"a value of Strata with a configuration key", one("traefik", `{"values":{"deployment":{"replicas":3}}}`),
		"strata:traefik.values.deployment.replicas: 3 is not for values to set: Strata sets it; use traefik.replicas"},
	{"a value of Strata, unchanged", one("traefik", `{"values":{"service":{"spec":{"type":"LoadBalancer"}}}}`),
		`strata:traefik.values.service.spec.type: "LoadBalancer" is not for values to set: the gate of the address waits for one from MetalLB; remove it`},
	{"a value below one of Strata", one("traefik", `{"values":{"gateway":{"listeners":{"web":{"port":80}}}}}`),
		`strata:traefik.values.gateway: is not for values to set: Strata makes this object itself; remove it`},
	{"a value that a gate relies on", one("metallb", `{"addresses":["10.10.0.200-10.10.0.210"],"values":{"fullnameOverride":"lb"}}`),
		`strata:metallb.values.fullnameOverride: "lb" is not for values to set: gates, routes and policies know the chart's objects by its own names; remove it`},
	{"a name that has dots", one("traefik", `{"values":{"service":{"annotations":{"metallb.io/loadBalancerIPs":"10.10.0.201"}}}}`),
		`strata:traefik.values.service.annotations["metallb.io/loadBalancerIPs"]: "10.10.0.201" is not for values to set: Strata sets it; use traefik.address`},
	{"null in place of values of Strata", one("traefik", `{"values":{"deployment":null}}`),
		"strata:traefik.values.deployment: null would not reach the chart: Pulumi leaves out what is null; write the value that the chart is to have"},
	{"null for a value of the chart", one("argocd", `{"values":{"server":{"resources":{"limits":null}}}}`),
		"strata:argocd.values.server.resources.limits: null would not reach the chart: Pulumi leaves out what is null; write the value that the chart is to have"},
	{"null in a list", one("argocd", `{"values":{"server":{"extraArgs":["a",{"b.c":null}]}}}`),
		"strata:argocd.values.server.extraArgs[1][\"b.c\"]: null would not reach the chart: Pulumi leaves out what is null; write the value that the chart is to have"},
	{"an integer that Pulumi would round", one("argocd", `{"values":{"server":{"chatID":-1009223372036854775}}}`),
		"strata:argocd.values.server.chatID: -1009223372036854775 would be rounded: Pulumi's integers end at 2^53; write it as a text if the chart takes one"},
	{"an integer in a list that Pulumi would round", one("argocd", `{"values":{"server":{"ids":[1,18446744073709551616]}}}`),
		"strata:argocd.values.server.ids[1]: 18446744073709552000 would be rounded: Pulumi's integers end at 2^53; write it as a text if the chart takes one"},
	{"a text in place of values of Strata", one("traefik", `{"values":{"deployment":"none"}}`),
		`strata:traefik.values.deployment: "none" would take deployment.replicas away, which Strata relies on; write an object with the other keys`},
	{"a boolean in place of a default", one("argocd", `{"values":{"dex":false}}`),
		`strata:argocd.values.dex: false would take dex.enabled away, which Strata relies on; write an object with the other keys`},
	{"a list in place of all values", one("vault", `{"values":["server"]}`),
		`strata:vault.values: is not an object; write the chart's values below it, as in its values.yaml`},
	{"a misspelt traffic policy", one("traefik", `{"externalTrafficPolicy":"local"}`),
		"strata:traefik.externalTrafficPolicy: local is neither Cluster nor Local; did you mean Local?"},
	{"the traffic policy by values", one("apisix", `{"values":{"service":{"externalTrafficPolicy":"Local"}}}`),
		`strata:apisix.values.service.externalTrafficPolicy: "Local" is not for values to set: Strata sets it; use apisix.externalTrafficPolicy`},
}

// ownValues are values that each chart accepts from the user, by the key of its section, with their
// path in the section.
var ownValues = map[string]string{
	"metallb.values":     `{"speaker":{"logLevel":"debug"}}`,
	"certManager.values": `{"podDisruptionBudget":{"maxUnavailable":1},"extraArgs":["--v=4"]}`,
	"traefik.values":     `{"service":{"annotations":{"example.org/owner":"edge"}},"ports":{"web":{"nodePort":30080}},"ingressClass":{"isDefaultClass":false}}`,
	"argocd.values":      `{"dex":{"enabled":true},"configs":{"params":{"controller.diff.server.side":true}}}`,
}

// withValues returns a good configuration with values of one chart.
func withValues(t *testing.T, key, values string) map[string]string {
	t.Helper()
	raw := good()
	section, rest, _ := strings.Cut(key, ".")
	text := values
	steps := strings.Split(rest, ".")
	for i := len(steps) - 1; i >= 0; i-- {
		text = `{"` + steps[i] + `":` + text + `}`
	}
	if section == "metallb" {
		text = strings.TrimSuffix(raw["metallb"], "}") + "," + strings.TrimPrefix(text, "{")
	}
	raw[section] = text
	return raw
}

func TestEveryChartAcceptsUserValues(t *testing.T) {
	for key := range config.OwnedValues() {
		text, some := ownValues[key]
		if !some {
			text = `{"example":1}`
		}
		t.Run(key, func(t *testing.T) {
			cfg, err := config.Load("dev", withValues(t, key, text), noEnv)
			require.NoError(t, err)
			own := cfg.ChartValues()[key]
			assert.Equal(t, key, own.Key)
			assert.False(t, own.Secret)
			read, err := json.Marshal(own.Tree)
			require.NoError(t, err)
			assert.JSONEq(t, text, string(read))
			for other, values := range cfg.ChartValues() {
				assert.True(t, other == key || values.Tree == nil && values.Key == "", "%s are none of %s", other, key)
			}
		})
	}
}

// Gates know the objects of every chart by their names, so users must not change these.
func TestChartsRefuseNameOverrides(t *testing.T) {
	for key := range config.OwnedValues() {
		for _, name := range []string{"nameOverride", "fullnameOverride"} {
			_, err := config.Load("dev", withValues(t, key, `{"`+name+`":"other"}`), noEnv)
			require.ErrorContains(t, err, "strata:"+key+"."+name+`: "other" is not for values to set`)
		}
	}
}

func TestChartValueErrorsAreReportedWithAllOthers(t *testing.T) {
	raw := withValues(t, "traefik.values", `{"nameOverride":"x","deployment":{"replicas":1,"kind":"DaemonSet"}}`)
	raw["timeouts"] = `{"apii":"1m"}`
	_, err := config.Load("dev", raw, noEnv)
	require.Error(t, err)
	assert.Len(t, strings.Split(err.Error(), "\n"), 4)
}

func TestUnknownChartValueIsReported(t *testing.T) {
	cfg, err := config.Load("dev", withValues(t, "traefik.values", `{"acessLog":{},"env":[],"unheard":1}`), noEnv)
	require.NoError(t, err)
	require.Len(t, cfg.OwnValues(), 1)
	own := cfg.OwnValues()[0]
	assert.Equal(t, config.ArtifactTraefikChart, own.Artifact())
	assert.Equal(t, []config.Problem{
		{Key: "strata:traefik.values.acessLog", Rule: "is no value that the chart has, so it would be ignored", Fix: "did you mean accessLog?"},
		{Key: "strata:traefik.values.unheard", Rule: "is no value that the chart has, so it would be ignored", Fix: "known are accessLog, env"},
	}, own.Unknown([]string{"accessLog", "env"}))
	assert.Empty(t, own.Unknown([]string{"acessLog", "env", "unheard"}))

	cfg, err = config.Load("dev", withValues(t, "apisix.values", `{"resources":{}}`), noEnv)
	require.NoError(t, err)
	assert.Empty(t, cfg.OwnValues(), "its chart is not installed")
}

// The digest of a section's JSON is stored unencrypted, and a chart's values may be secret.
func TestSectionJSONOmitsChartValues(t *testing.T) {
	cfg, err := config.Load("dev", withValues(t, "traefik.values", `{"env":[{"name":"TOKEN","value":"hunter2"}]}`), noEnv)
	require.NoError(t, err)
	text, err := json.Marshal(cfg)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hunter2")
	without, err := config.Load("dev", good(), noEnv)
	require.NoError(t, err)
	text, err = json.Marshal(without.Traefik)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "values", "the digests of stacks without them stay what they are")
	assert.NotContains(t, string(text), "externalTrafficPolicy")
}

func TestEncryptedChartValuesAreReadAsPlaceholders(t *testing.T) {
	cfg, err := ofFile(t, `
  strata:argocd:
    values: {configs: {cm: {oidc.config: {secure: v1:hunter2}}, repositories: [{url: x, password: {secure: v1:hunter2}}]}}
  strata:traefik:
    values: {log: {level: DEBUG}}
`)
	require.NoError(t, err)
	configs := cfg.ArgoCD.Values.Tree["configs"].(map[string]any)
	assert.Equal(t, config.Sealed, configs["cm"].(map[string]any)["oidc.config"])
	assert.Equal(t, config.Sealed, configs["repositories"].([]any)[0].(map[string]any)["password"])
	assert.True(t, cfg.ArgoCD.Values.Secret)
	assert.False(t, cfg.Traefik.Values.Secret)

	_, err = ofFile(t, "  strata:traefik: {values: {secure: v1:hunter2}}\n")
	require.ErrorContains(t, err, "is encrypted as a whole")
	_, err = ofFile(t, "  strata:traefik: {values: {deployment: {replicas: {secure: v1:hunter2}}}}\n")
	require.ErrorContains(t, err, `values.deployment.replicas: "[secret]" is not for values to set`)
	assert.NotContains(t, err.Error(), "hunter2")
}

// examples returns the YAML blocks in docs/values.md, each with the messages below it. The message
// is empty if a block has none.
func examples(t *testing.T) (blocks, messages []string) {
	t.Helper()
	page, err := os.ReadFile("../docs/values.md")
	require.NoError(t, err)
	for _, part := range strings.Split(string(page), "\n```yaml\n")[1:] {
		block, rest, closed := strings.Cut(part, "\n```\n")
		require.True(t, closed)
		message := ""
		if said, is := strings.CutPrefix(strings.TrimPrefix(rest, "\n"), "```text\n"); is {
			message, _, _ = strings.Cut(said, "\n```")
		}
		blocks, messages = append(blocks, block), append(messages, message)
	}
	return blocks, messages
}

// Each example is a part of a stack file. It must load, or fail with the message below it.
func TestExamplesInValuesPageLoadOrFailAsDocumented(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	blocks, messages := examples(t)
	require.Greater(t, len(blocks), 3)
	refused := 0
	for i, block := range blocks {
		file := filepath.Join(t.TempDir(), "any.yaml")
		text := "config:\n  strata:cluster: {context: kind-kind}\n"
		if !strings.Contains(block, "strata:metallb:") {
			text += "  strata:metallb: {addresses: [10.0.0.1-10.0.0.9]}\n"
		}
		require.NoError(t, os.WriteFile(file, []byte(text+strings.TrimPrefix(block, "config:\n")+"\n"), 0o600))
		_, err := config.OfStack(filepath.Dir(file), "dev", file)
		if messages[i] == "" {
			assert.NoError(t, err, block)
			continue
		}
		refused++
		require.Error(t, err, block)
		assert.Equal(t, messages[i], strings.TrimPrefix(err.Error(), file+":\n"))
	}
	assert.Positive(t, refused)
	assert.Less(t, refused, len(blocks))
}

// If a field of type Values were not checked, it could override values that gates rely on.
func TestEveryValuesFieldIsValidated(t *testing.T) {
	var found []string
	var walk func(key string, of reflect.Type)
	walk = func(key string, of reflect.Type) {
		if of == reflect.TypeFor[config.Values]() {
			found = append(found, key)
			return
		}
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if of.Field(i).Type.Kind() == reflect.Struct && name != "" && name != "-" {
				walk(strings.TrimPrefix(key+"."+name, "."), of.Field(i).Type)
			}
		}
	}
	walk("", reflect.TypeFor[config.Config]())
	assert.ElementsMatch(t, slices.Collect(maps.Keys(config.OwnedValues())), found)
}
