package join_test

import (
	"errors"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
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

// registered returns the input of a resource that gets the output.
func registered(t *testing.T, output func() pulumi.Output) (resource.PropertyValue, error) {
	t.Helper()
	seen := &recorder{}
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		var made struct{ pulumi.CustomResourceState }
		return ctx.RegisterResource("test:index:Resource", "one", pulumi.Map{"value": output()}, &made)
	}, pulumi.WithMocks("project", "stack", seen))
	return seen.inputs["value"], err
}

func TestOutputIsSecretIfAnInputIs(t *testing.T) {
	value, err := registered(t, func() pulumi.Output {
		return join.Two(pulumi.String("a"), pulumi.ToSecret(pulumi.String("b")), func(a, b string) (string, error) { return a + b, nil })
	})
	require.NoError(t, err)
	require.True(t, value.IsSecret())
	assert.Equal(t, "ab", value.SecretValue().Element.StringValue())

	value, err = registered(t, func() pulumi.Output {
		return join.Three(pulumi.String("a"), pulumi.Int(2), pulumi.Bool(true), func(a string, n int, yes bool) (string, error) {
			assert.True(t, yes)
			assert.Equal(t, 2, n)
			return a, nil
		})
	})
	require.NoError(t, err)
	assert.Equal(t, "a", value.StringValue())
}

func TestErrorFailsTheResource(t *testing.T) {
	_, err := registered(t, func() pulumi.Output {
		return join.Four(pulumi.String("a"), pulumi.Int(2), pulumi.Bool(true), pulumi.String("d"),
			func(string, int, bool, string) (string, error) { return "", errors.New("no such host") })
	})
	assert.ErrorContains(t, err, "no such host")
}
