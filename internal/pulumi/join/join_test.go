package join_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/join"
)

// recorder answers registrations and keeps their inputs.
type recorder struct{ inputs resource.PropertyMap }

func (r *recorder) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	r.inputs = args.Inputs
	return args.Name, args.Inputs, nil
}

func (r *recorder) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) { return nil, nil }

// registered returns the input that a resource gets from an output.
func registered(
	t *testing.T, output func() pulumix.Output[string],
) (resource.PropertyValue, error) {
	t.Helper()
	seen := &recorder{}
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		var made struct{ pulumi.CustomResourceState }
		return ctx.RegisterResource("test:index:Resource", "one",
			pulumi.Map{"value": pulumix.Cast[pulumi.StringOutput](output())}, &made)
	}, pulumi.WithMocks("project", "stack", seen))
	return seen.inputs["value"], err
}

func TestOutputIsSecretIfAnyInputIs(t *testing.T) {
	value, err := registered(t, func() pulumix.Output[string] {
		return join.Two(pulumi.String("a"), pulumi.ToSecret(pulumi.String("b")),
			func(a, b string) string { return a + b })
	})
	require.NoError(t, err)
	require.True(t, value.IsSecret())
	assert.Equal(t, "ab", value.SecretValue().Element.StringValue())

	value, err = registered(t, func() pulumix.Output[string] {
		return join.Three(pulumi.String("a"), pulumi.Int(2), pulumi.Bool(true),
			func(a string, n int, yes bool) string {
				assert.True(t, yes)
				assert.Equal(t, 2, n)
				return a
			})
	})
	require.NoError(t, err)
	assert.Equal(t, "a", value.StringValue())
}

func TestOutputIsSecretWhileEarlierInputIsUnknown(t *testing.T) {
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		unknown, secret := pulumi.UnsafeUnknownOutput(nil), pulumi.ToSecret(pulumi.String("b"))
		joined := join.Two(unknown, secret, func(_ any, b string) string { return b })
		result, err := internals.UnsafeAwaitOutput(ctx.Context(), joined)
		assert.False(t, result.Known)
		assert.True(t, result.Secret)
		return err
	}, pulumi.WithMocks("project", "stack", &recorder{}))
	require.NoError(t, err)
}
