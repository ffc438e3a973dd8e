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

func TestUserValuesAreMergedWithStrataValues(t *testing.T) {
	ours := object{
		"service": object{"spec": object{"type": "LoadBalancer"}},
		"list":    array{"ours"},
	}
	merged, err := mergeValues(ours, own(map[string]any{
		"service": map[string]any{"annotations": map[string]any{"a/b": "c"},
			"spec": map[string]any{"loadBalancerSourceRanges": []any{"10.0.0.0/8"}}},
		"env": []any{map[string]any{"name": "A", "count": int64(2), "share": 0.5, "on": true}},
	}))
	require.NoError(t, err)
	assert.Equal(t, object{
		"service": object{
			"spec": object{"type": "LoadBalancer",
				"loadBalancerSourceRanges": array{"10.0.0.0/8"}},
			"annotations": object{"a/b": "c"},
		},
		"list": array{"ours"},
		"env":  array{object{"name": "A", "count": int64(2), "share": 0.5, "on": true}},
	}, merged)
	assert.Equal(t, object{"type": "LoadBalancer"},
		ours["service"].(object)["spec"], "ours are not changed")
}

func TestUserValuesOverrideStrataDefaults(t *testing.T) {
	merged, err := mergeValues(object{"ingressClass": object{"isDefaultClass": true,
		"name": "traefik"}},
		own(map[string]any{"ingressClass": map[string]any{"isDefaultClass": false}}))
	require.NoError(t, err)
	assert.Equal(t, object{"ingressClass": object{"isDefaultClass": false,
		"name": "traefik"}}, merged)
}

// The rules of package config refuse conflicting values earlier. If no rule does, the merge must
// not silently override a value.
func TestConflictingUserValuesAreRefused(t *testing.T) {
	ours := object{"a": object{"b": 1}, "list": array{}, "c": "x"}
	for path, tree := range map[string]map[string]any{
		"a.b": {"a": map[string]any{"b": int64(1)}}, "a": {"a": "none"},
		"list": {"list": []any{"mine"}}, "c": {"c": map[string]any{"d": "e"}},
	} {
		_, err := mergeValues(ours, own(tree))
		require.ErrorContains(t, err, "strata:traefik.values: Strata sets "+path+" as well")
	}
}

func TestMergeWithoutUserValuesChangesNothing(t *testing.T) {
	ours := object{"a": 1}
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

// Only strings can be secret; keys, numbers and booleans stay readable in a preview.
func TestMergedStringsAreSecretIfUserValuesAreSecret(t *testing.T) {
	secret := own(map[string]any{"a": map[string]any{"text": "hunter2", "on": true},
		"list": []any{"hunter2"}})
	secret.Secret = true
	merged, err := mergeValues(object{"ours": "plain"}, secret)
	require.NoError(t, err)
	assert.Equal(t, "plain", merged["ours"])
	inner := merged["a"].(object)
	assert.Equal(t, true, inner["on"])
	for _, text := range []any{inner["text"], merged["list"].(array)[0]} {
		output, ok := text.(pulumi.Output)
		require.True(t, ok, "%T", text)
		assert.True(t, pulumi.IsSecret(output))
	}
}

func TestObjectFieldsBecomeTypedPulumiInputs(t *testing.T) {
	secret := pulumi.ToSecret("hunter2")
	assert.Equal(t, pulumi.Map{
		"name": pulumi.String("web"), "on": pulumi.Bool(true), "port": pulumi.Int(80),
		"user": pulumi.Float64(2), "share": pulumi.Float64(0.5), "later": secret,
		"hosts": pulumi.ToStringArray([]string{"a"}),
		"list":  pulumi.Array{pulumi.Map{"name": pulumi.String("x")}},
	}, inputsOf(object{
		"name": "web", "on": true, "port": 80, "user": int64(2), "share": 0.5, "later": secret,
		"hosts": []string{"a"}, "list": array{object{"name": "x"}},
	}))
}
