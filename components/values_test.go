package components

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// own returns values of Traefik's chart in the form that package config reads.
func own(tree map[string]any) config.Values {
	return config.Values{Tree: tree,
		Key: "traefik.values"}
}

func TestUserValuesAreMergedBelowStrataValues(t *testing.T) {
	ours := pulumi.Map{
		"service": pulumi.Map{"spec": pulumi.Map{"type": pulumi.String("LoadBalancer")}},
		"list":    pulumi.Array{pulumi.String("ours")},
	}
	merged, err := mergeValues(ours, own(map[string]any{
		"service": map[string]any{"annotations": map[string]any{"a/b": "c"},
			"spec": map[string]any{"loadBalancerSourceRanges": []any{"10.0.0.0/8"}}},
		"env": []any{map[string]any{"name": "A", "count": int64(2), "share": 0.5, "on": true}},
	}))
	require.NoError(t, err)
	assert.Equal(t, pulumi.Map{
		"service": pulumi.Map{
			"spec": pulumi.Map{"type": pulumi.String("LoadBalancer"),
				"loadBalancerSourceRanges": pulumi.Array{pulumi.String("10.0.0.0/8")}},
			"annotations": pulumi.Map{"a/b": pulumi.String("c")},
		},
		"list": pulumi.Array{pulumi.String("ours")},
		"env": pulumi.Array{pulumi.Map{
			"name": pulumi.String("A"), "count": pulumi.Float64(2), "share": pulumi.Float64(0.5),
			"on": pulumi.Bool(true),
		}},
	}, merged)
	assert.Equal(t, pulumi.Map{"type": pulumi.String("LoadBalancer")},
		ours["service"].(pulumi.Map)["spec"], "ours are not changed")
}

func TestUserValuesOverrideStrataDefaults(t *testing.T) {
	merged, err := mergeValues(pulumi.Map{"ingressClass": pulumi.Map{"isDefaultClass": pulumi.Bool(true),
		"name": pulumi.String("traefik")}},
		own(map[string]any{"ingressClass": map[string]any{"isDefaultClass": false}}))
	require.NoError(t, err)
	assert.Equal(t, pulumi.Map{"ingressClass": pulumi.Map{"isDefaultClass": pulumi.Bool(false),
		"name": pulumi.String("traefik")}}, merged)
}

// The rules of package config refuse such values earlier. If they miss one, the merge must not
// silently override a value.
func TestConflictingUserValuesAreRefused(t *testing.T) {
	ours := pulumi.Map{"a": pulumi.Map{"b": pulumi.Int(1)}, "list": pulumi.Array{},
		"c": pulumi.String("x")}
	for path, tree := range map[string]map[string]any{
		"a.b": {"a": map[string]any{"b": int64(1)}}, "a": {"a": "none"},
		"list": {"list": []any{"mine"}}, "c": {"c": map[string]any{"d": "e"}},
	} {
		_, err := mergeValues(ours, own(tree))
		require.ErrorContains(t, err, "strata:traefik.values: Strata sets "+path+" as well")
	}
}

func TestMergeWithoutUserValuesChangesNothing(t *testing.T) {
	ours := pulumi.Map{"a": pulumi.Int(1)}
	merged, err := mergeValues(ours, config.Values{})
	require.NoError(t, err)
	assert.Equal(t, ours, merged)
	assert.Equal(t, pulumi.String("chart"), ownValues{}.revision("chart"),
		"and gates are asked what they were")
}

func TestRevisionChangesWithUserValues(t *testing.T) {
	seen := map[pulumi.StringInput]bool{pulumi.String("chart"): true}
	for _, tree := range []map[string]any{{"a": "b"}, {"a": "c"}, {"a": map[string]any{"a": "b"}}} {
		revision := ownValues{userValues: userValues{Values: own(tree)}}.revision("chart")
		assert.False(t, seen[revision], "%v", tree)
		seen[revision] = true
		assert.Equal(t, revision, ownValues{userValues: userValues{Values: own(tree)}}.revision(
			"chart"))
		assert.NotEqual(t, revision, ownValues{userValues: userValues{Values: own(tree)}}.revision(
			"another chart"))
	}
}

// Only texts can be encrypted; names, numbers and switches stay readable in a preview.
func TestMergedStringsAreSecretIfUserValuesAreSecret(t *testing.T) {
	secret := own(map[string]any{"a": map[string]any{"text": "hunter2", "on": true},
		"list": []any{"hunter2"}})
	secret.Secret = true
	merged, err := mergeValues(pulumi.Map{"ours": pulumi.String("plain")}, secret)
	require.NoError(t, err)
	assert.Equal(t, pulumi.String("plain"), merged["ours"])
	inner := merged["a"].(pulumi.Map)
	assert.Equal(t, pulumi.Bool(true), inner["on"])
	for _, text := range []pulumi.Input{inner["text"], merged["list"].(pulumi.Array)[0]} {
		output, ok := text.(pulumi.Output)
		require.True(t, ok, "%T", text)
		assert.True(t, pulumi.IsSecret(output))
	}
}
