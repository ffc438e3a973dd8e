package catalog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// definition has the fields of a CRD that the tests read.
type definition struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Versions []struct {
			Name   string
			Served bool
		}
	}
}

// definitions runs the step of a set of CRDs, and returns its objects by name.
func definitions(t *testing.T, step string) map[string]definition {
	t.Helper()
	entry := built(t, step)
	text, err := os.ReadFile(filepath.Join(entry.Dir, entry.Files[0].Path))
	require.NoError(t, err)
	all := map[string]definition{}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var one definition
		require.NoError(t, yaml.Unmarshal([]byte(document), &one))
		all[one.Metadata.Name] = one
	}
	return all
}

// The lab's Traefik watches these versions. If one is not served, Traefik's Gateway API provider
// stops permanently.
func TestGatewayAPICRDsServeVersionsThatTraefikWatches(t *testing.T) {
	all := definitions(t, "gateway-api-crds")
	for name, version := range map[string]string{
		"gatewayclasses": "v1", "gateways": "v1", "httproutes": "v1", "grpcroutes": "v1", "referencegrants": "v1beta1",
	} {
		served := map[string]bool{}
		for _, one := range all[name+".gateway.networking.k8s.io"].Spec.Versions {
			served[one.Name] = one.Served
		}
		assert.True(t, served[version], "%s %s", name, version)
	}
	assert.Equal(t, "ValidatingAdmissionPolicyBinding", all["safe-upgrades.gateway.networking.k8s.io"].Kind,
		"upstream's standard-install guards its CRDs")
}

func TestTraefikAndArgoCDCRDsAreComplete(t *testing.T) {
	for step, names := range map[string][]string{
		"traefik-crds": {
			"ingressroutes.traefik.io", "ingressroutetcps.traefik.io",
			"ingressrouteudps.traefik.io", "middlewares.traefik.io",
			"middlewaretcps.traefik.io", "serverstransports.traefik.io", "serverstransporttcps.traefik.io",
			"tlsoptions.traefik.io", "tlsstores.traefik.io", "traefikservices.traefik.io",
		},
		"argocd-crds": {"applications.argoproj.io", "applicationsets.argoproj.io", "appprojects.argoproj.io"},
	} {
		all := definitions(t, step)
		assert.Len(t, all, len(names), step)
		for _, name := range names {
			assert.Contains(t, all, name, step)
		}
	}
}
