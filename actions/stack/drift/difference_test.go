package drift

import (
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"

	"strata/internal/pulumi/stackstate"
)

func TestReasonNamesDifferencesThatArePutBack(t *testing.T) {
	at := time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC)
	report := &Report{Differences: []Difference{
		{Resource: "traefik-release", Thing: "Deployment/traefik/traefik", Verdict: Changed,
			Fields: []string{"spec.replicas"}, Evidence: `by "kubectl"`},
		{Resource: "traefik-release", Thing: "Service/traefik/traefik", Verdict: Missing},
		{Resource: "pool", Thing: "IPAddressPool/metallb-system/default", Verdict: Changed,
			Kept: "flux has taken the fields over"},
	}}
	assert.Equal(t, map[string]string{"traefik-release": "2026-11-28T16:00:00Z " +
		`Deployment/traefik/traefik: changed spec.replicas (by "kubectl"); ` +
		"Service/traefik/traefik: missing"}, report.Reasons(at, &stackstate.State{}))
	assert.Equal(t, "IPAddressPool/metallb-system/default: changed; left as it is: "+
		"flux has taken the fields over", report.Differences[2].String())
}

func TestGatesRunAgainAfterPutBackOrKilledUpdate(t *testing.T) {
	resource := func(name, kind string, inputs map[string]any, dependencies ...urn.URN) stackstate.Resource {
		return stackstate.Resource{ResourceV3: apitype.ResourceV3{Type: tokens.Type(kind),
			URN: urnOf(name), Inputs: inputs, Dependencies: dependencies}}
	}
	gate := map[string]any{"create": "strata gate"}
	state := &stackstate.State{
		Resources: []stackstate.Resource{
			resource("release", stackstate.HelmRelease, nil),
			resource("rollout", stackstate.LocalCommand, gate, urnOf("release"), urnOf("crds")),
			resource("later", stackstate.LocalCommand, gate, urnOf("rollout")),
			resource("other", stackstate.LocalCommand, map[string]any{"create": "strata crds apply"},
				urnOf("release")),
		},
		Pending: []stackstate.Operation{
			{Type: apitype.OperationTypeUpdating, Resource: resource("crds", stackstate.LocalCommand, nil)},
			{Type: apitype.OperationTypeUpdating, Resource: resource("pool", "kubernetes:a:Pool", nil)},
			{Type: apitype.OperationTypeCreating, Resource: resource("new", stackstate.LocalCommand, nil)},
		},
	}
	report := &Report{Differences: []Difference{{Resource: "release", Thing: "A/a", Verdict: Missing}}}
	const at = "2026-11-28T16:00:00Z "
	assert.Equal(t, map[string]string{"release": at + "A/a: missing", "rollout": at + "crds, release",
		"crds": at + "its last update was killed"},
		report.Reasons(time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC), state))
}

func urnOf(name string) urn.URN { return urn.URN("urn:pulumi:s::p::t::" + name) }

// The API server bounds the size of annotations.
func TestReasonOfManyDifferencesIsShort(t *testing.T) {
	report := &Report{}
	for range 100 {
		report.Differences = append(report.Differences, Difference{Resource: "r", Thing: "A/a",
			Verdict: Missing})
	}
	assert.True(t, strings.HasSuffix(report.Reasons(time.Now(),
		&stackstate.State{})["r"], "A/a: missing; and 95 more"))
}
