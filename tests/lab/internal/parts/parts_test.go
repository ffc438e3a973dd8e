package parts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/bundle"
	"strata/tests/lab/internal/parts"
)

func TestListShowsVersionsThatDifferFromPins(t *testing.T) {
	list := parts.List([]bundle.Artifact{
		{Name: "chart", Version: "0.16.1", Path: "charts/c.tgz", Origin: "real: a chart"},
		{Name: "images", Version: "1", Path: "images/a.tar", Origin: "stand-in: an image"},
		{Name: "images", Version: "2", Path: "images/b.tar", Origin: "real: another"},
	}, map[string]string{"chart": "0.16.2"})

	assert.Equal(t, []parts.Part{
		{Name: "chart", Kind: "real", Version: "0.16.1", Pin: "0.16.2", What: "a chart"},
		{Name: "images a.tar", Kind: "stand-in", Version: "1", What: "an image"},
		{Name: "images b.tar", Kind: "real", Version: "2", What: "another"},
	}, list)

	var out strings.Builder
	require.NoError(t, parts.Print(&out, list))
	assert.Contains(t, out.String(), "1 of 3 parts are stand-ins; 1 differ from their pin")
}

func TestListIgnoresLeadingVInVersions(t *testing.T) {
	list := parts.List(
		[]bundle.Artifact{{Name: "crds", Version: "v1.6.1", Origin: "real: CRDs"}},
		map[string]string{"crds": "1.6.1"},
	)
	assert.Empty(t, list[0].Pin)
}

func TestPinsAreReadFromTheCheckout(t *testing.T) {
	pins, err := parts.Pins("../../../..")
	require.NoError(t, err)
	assert.Regexp(t, `^v\d+\.\d+\.\d+\+k3s\d+$`, pins["k3s"])
	for _, name := range []string{"metallb-chart", "pulumi", "pulumi-resource-command",
		"pulumi-resource-random", "pulumi-resource-kubernetes"} {
		assert.Regexp(t, `^\d+\.\d+\.\d+$`, pins[name], name)
	}
}

func TestEachArtifactHasItsPin(t *testing.T) {
	pins, err := parts.Pins("../../../..")
	require.NoError(t, err)
	for _, name := range []string{
		"k3s-install", "gateway-api-crds", "cert-manager-chart", "vault-chart", "traefik-chart",
		"traefik-crds", "apisix-chart", "apisix-controller-chart",
		"apisix-crds", "wave-chart", "argocd-chart",
	} {
		assert.NotEmpty(t, pins[name], name)
	}
}

func TestListMarksUpstreamArtifacts(t *testing.T) {
	list := parts.List([]bundle.Artifact{
		{
			Name:    "k3s",
			Version: "v1.36.3+k3s1",
			Origin:  bundle.OriginOriginal + "k3s-v1.36.3+k3s1",
		}, {Name: "chart", Version: "1", Origin: "stand-in: a chart"},
	}, nil)
	assert.Equal(
		t,
		parts.Part{Name: "k3s", Kind: "original", Version: "v1.36.3+k3s1", What: "k3s-v1.36.3+k3s1"},
		list[0],
	)
	var out strings.Builder
	require.NoError(t, parts.Print(&out, list))
	assert.Contains(t, out.String(), "1 of 2 parts are stand-ins, 1 are originals; 0 differ")
}
