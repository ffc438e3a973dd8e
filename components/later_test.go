package components

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// laterValues returns values of MetalLB's chart that another resource computes.
func laterValues(given pulumi.MapInput) userValues {
	l := &layer{Layer: Layer{Rules: &config.Config{}}}
	return l.userValues(config.ArtifactMetalLBChart, config.Values{}, given)
}

// await returns the values of a release whose user values come from another resource.
func await(t *testing.T, given pulumi.MapInput) (internals.UnsafeAwaitOutputResult, error) {
	t.Helper()
	values, err := laterValues(given).apply(func(own config.Values) (object, error) {
		return mergeValues(metallbValues(), own)
	})
	require.NoError(t, err)
	return internals.UnsafeAwaitOutput(t.Context(), values.ToMapOutput())
}

func TestValuesFromOutputsAreMergedWithStrataValues(t *testing.T) {
	level := pulumi.String("debug").ToStringOutput()
	made, err := await(t, pulumi.Map{"speaker": pulumi.Map{"logLevel": level,
		"replicas": pulumi.Int(2)}})
	require.NoError(t, err)
	speaker := made.Value.(map[string]any)["speaker"].(map[string]any)
	assert.Equal(t, "debug", speaker["logLevel"])
	assert.EqualValues(t, 2, speaker["replicas"])
	assert.Contains(t, speaker, "frr", "ours")
	assert.True(t, made.Known)
	assert.False(t, made.Secret)
}

func TestSecretValuesFromOutputsStaySecret(t *testing.T) {
	made, err := await(t, pulumi.Map{"speaker": pulumi.ToSecret(
		pulumi.Map{"memberlist": pulumi.String("hunter2")})})
	require.NoError(t, err)
	assert.True(t, made.Secret)
}

func TestUnknownValuesFromOutputsStayUnknown(t *testing.T) {
	unknown := pulumi.UnsafeUnknownOutput(nil)
	made, err := await(t, pulumi.Map{"speaker": unknown})
	require.NoError(t, err)
	assert.False(t, made.Known)
}

func TestErrorForValuesFromOutputsHidesValues(t *testing.T) {
	_, err := await(t, pulumi.Map{"frrk8s": pulumi.Map{"enabled": pulumi.String("hunter2")},
		"loadBalancerClass": pulumi.String("hunter2")})
	require.ErrorContains(t, err, "strata:metallb.values.frrk8s: is not for values to set")
	require.ErrorContains(t, err, "strata:metallb.values.loadBalancerClass: is not for values to set")
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestValuesFromConfigAndOutputTogetherAreRefused(t *testing.T) {
	both := laterValues(pulumi.Map{})
	both.Values = config.Values{Key: "metallb.values", Tree: map[string]any{"a": "b"}}
	_, err := both.apply(func(config.Values) (object, error) { return nil, nil })
	require.ErrorContains(t, err, "strata:metallb.values is set, and the program gives Values")
}

func TestInvalidAddressesFromOutputAreRefused(t *testing.T) {
	for _, wrong := range [][]string{{}, {"10.0.0.300-10.0.0.1"}, {"10.0.0.1-10.0.0.9", "10.0.0.9-10.0.0.12"}} {
		given := pulumi.ToStringArray(wrong)
		m := &metallb{args: &MetalLBArgs{Addresses: given},
			layer: layer{Layer: Layer{Rules: &config.Config{}}}}
		ranges, err := m.ranges()
		require.NoError(t, err)
		_, err = internals.UnsafeAwaitOutput(t.Context(), ranges)
		require.ErrorContains(t, err, "strata:metallb.addresses")
	}
}

func TestMetalLBWithoutAddressesIsRefused(t *testing.T) {
	m := &metallb{args: &MetalLBArgs{}, layer: layer{Layer: Layer{Rules: &config.Config{}}}}
	_, err := m.ranges()
	require.ErrorContains(t, err, "strata:metallb.addresses: is empty")
}
