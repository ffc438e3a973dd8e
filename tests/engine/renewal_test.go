package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/components"
	"strata/platform"
)

// born is the time of the first update, in the middle of a renewal period and of a month.
var born = time.Unix(0, 0).Add(17*365*24*time.Hour/3*3 + 15*24*time.Hour)

// at sets the time that the program sees.
func (s *stack) at(now time.Time) {
	s.registers = func(ctx *pulumi.Context) error { return platform.Run(components.WithTime(ctx, now)) }
}

// replaced returns the resources that a run deletes or recreates.
func (r *result) replaced() []string {
	var names []string
	for name, steps := range r.steps {
		for _, op := range []string{string(deploy.OpReplace), string(deploy.OpDelete),
			string(deploy.OpDeleteReplaced)} {
			if slices.Contains(steps, op) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Updates must renew the exported certificate in place, at the preview too.
func TestKubeconfigCertificateIsRenewedAfterThirdOfLifetime(t *testing.T) {
	s := newStack(t, "staging")
	s.at(born)
	s.mustUp()
	first := s.kubeconfig()

	s.at(born.Add(10 * 24 * time.Hour))
	seen := s.preview()
	require.NoError(t, seen.err)
	assert.Empty(t, seen.changed(), "within a generation")

	for renewal := 1; renewal <= 3; renewal++ {
		s.at(born.Add(time.Duration(renewal) * 122 * 24 * time.Hour))
		seen = s.preview()
		require.NoError(t, seen.err)
		assert.Contains(t, seen.changed(), "k3s-credential")
		assert.Equal(t, []string{"update"}, seen.steps["k3s-credential"])
		assert.Empty(t, seen.replaced(), "the preview of a renewal")
		did := s.mustUp()
		assert.Empty(t, did.replaced(), "a renewal")
		assert.Empty(t, did.actions.names("create"))
		assert.NotNil(t, did.actions.find("update", "k3s-api"),
			"a gate proves that the new one is believed")
		assert.NotEqual(t, first, s.kubeconfig())
		first = s.kubeconfig()
		again := s.preview()
		require.NoError(t, again.err)
		assert.Empty(t, again.changed())
	}
}

// kubeconfig returns the kubeconfig that the stack exports.
func (s *stack) kubeconfig() string {
	return s.stored()["strata-staging"].Outputs["kubeconfig"].SecretValue().Element.StringValue()
}
