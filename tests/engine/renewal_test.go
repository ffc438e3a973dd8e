package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/components"
	"strata/platform"
	"strata/tests/pulumitest"
)

// born is the time of the first up: in the middle of a generation and of a month of the calendar.
var born = time.Unix(0, 0).Add(17*365*24*time.Hour/3*3 + 15*24*time.Hour)

// at has the program take it for another time.
func (s *stack) at(now time.Time) {
	s.registers = func(ctx *pulumi.Context) error { return platform.Run(components.At(ctx, now)) }
}

// replaced are the resources that a run takes away or makes anew.
func (r *result) replaced() []string {
	var names []string
	for name, steps := range r.steps {
		for _, op := range []string{string(deploy.OpReplace), string(deploy.OpDelete), string(deploy.OpDeleteReplaced)} {
			if slices.Contains(steps, op) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// K3s's own client certificate lives for a year, and whoever keeps a copy dies with it.
func TestAStacksCertificateIsRenewedAtAThirdOfItsLife(t *testing.T) {
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
		assert.NotNil(t, did.actions.find("update", "k3s-api"), "a gate proves that the new one is believed")
		assert.NotEqual(t, first, s.kubeconfig())
		first = s.kubeconfig()
		again := s.preview()
		require.NoError(t, again.err)
		assert.Empty(t, again.changed())
	}
}

// kubeconfig is what the stack gives to its users.
func (s *stack) kubeconfig() string {
	return s.stored()["strata-staging"].Outputs["kubeconfig"].SecretValue().Element.StringValue()
}

// A stack from before has read K3s's own kubeconfig, and has nobody who issues certificates.
func TestAnOlderStacksFirstUpGivesItACertificateAndTakesNothingAway(t *testing.T) {
	s := newStack(t, "staging")
	s.at(born)
	s.mustUp()
	s.forget("k3s-credential", "k3s-kubeconfig")
	s.forget("crds-gateway-api-gate-attempt", "crds-gateway-api")
	s.forget("crds-traefik-gate-attempt", "crds-traefik")
	seen := s.preview()
	require.NoError(t, seen.err)
	assert.Equal(t, []string{"create"}, seen.steps["k3s-credential"])
	assert.Empty(t, seen.replaced(), "the preview")
	did := s.mustUp()
	assert.ElementsMatch(t, []string{"k3s-credential", "crds-gateway-api-gate-attempt", "crds-traefik-gate-attempt"}, did.actions.names("create"))
	assert.Empty(t, did.replaced())
	assert.Contains(t, s.kubeconfig(), pulumitest.ClientKey)
	assert.Empty(t, s.mustUp().changed())
}

// forget takes a resource out of the state, as if the program that wrote it had none; what depended on it depends on another, and
// has another kubeconfig.
func (s *stack) forget(name, instead string) {
	gone, stays := s.stored()[name].URN, s.stored()[instead].URN
	s.snapshot.Resources = slices.DeleteFunc(s.snapshot.Resources, func(state *resource.State) bool { return state.URN == gone })
	for _, state := range s.snapshot.Resources {
		for i, urn := range state.Dependencies {
			if urn == gone {
				state.Dependencies[i] = stays
			}
		}
		for key, urns := range state.PropertyDependencies {
			for i, urn := range urns {
				if urn == gone {
					state.PropertyDependencies[key][i] = stays
				}
			}
		}
		if environment := state.Inputs["environment"]; environment.IsObject() && environment.ObjectValue().HasValue("STRATA_KUBECONFIG") {
			environment.ObjectValue()["STRATA_KUBECONFIG"] = resource.MakeSecret(resource.NewProperty("K3s's own"))
		}
		if state.Inputs.HasValue("kubeconfig") {
			state.Inputs["kubeconfig"] = resource.MakeSecret(resource.NewProperty("K3s's own"))
		}
	}
}
