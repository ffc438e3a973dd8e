package dryrun_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/dryrun"
)

// The SDK's own mocks would fail in this program with `malformed RPC secret`.
func TestDryRunKeepsUnknownSecretUnknown(t *testing.T) {
	type key struct{}
	var seen []any
	registered, err := dryrun.Run(context.WithValue(t.Context(), key{}, "value"), "project",
		"stack",
		func(ctx *pulumi.Context) error {
			seen = append(seen, ctx.Value(key{}), ctx.DryRun(), ctx.Stack())
			first, err := random.NewRandomPassword(ctx, "first",
				&random.RandomPasswordArgs{Length: pulumi.Int(8)})
			if err != nil {
				return err
			}
			made := pulumi.ToSecret(first.Result.ApplyT(func(string) string {
				t.Error("an unknown value was read")
				return ""
			})).(pulumi.StringOutput)
			_, err = random.NewRandomId(ctx, "second",
				&random.RandomIdArgs{ByteLength: pulumi.Int(8),
					Keepers: pulumi.StringMap{"of": made}})
			return err
		})
	require.NoError(t, err)
	assert.Equal(t, []any{"value", true, "stack"}, seen)
	require.Len(t, registered, 3, "the stack is the first")
	inputs, err := registered[2].Inputs()
	require.NoError(t, err)
	assert.Equal(t, "second", registered[2].Name)
	assert.Equal(t, map[string]any{"byteLength": 8.0, "keepers": map[string]any{"of": nil}}, inputs,
		"what is unknown is not known here")
}

func TestDryRunReturnsProgramError(t *testing.T) {
	_, err := dryrun.Run(t.Context(), "project", "stack", func(*pulumi.Context) error {
		return errors.New("no such layer")
	})
	require.ErrorContains(t, err, "no such layer")
	_, err = dryrun.Run(t.Context(), "project", "stack", func(ctx *pulumi.Context) error {
		return ctx.Invoke("random:index:ask", &struct{}{}, &struct{}{})
	})
	require.ErrorContains(t, err, "method Invoke not implemented")
}
