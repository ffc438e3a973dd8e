package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
)

// goesWith maps the path of each file of the bundle to the chart that needs the file. It assumes
// that every step has written its file.
func goesWith(t *testing.T) map[string]string {
	t.Helper()
	outputs := build.Outputs{}
	for _, item := range items() {
		entry := outputs[item.step]
		entry.Files = append(entry.Files, build.File{Path: item.file})
		outputs[item.step] = entry
	}
	sources, err := bundleSources(items(), outputs)
	require.NoError(t, err)
	charts := map[string]string{}
	for _, source := range sources {
		charts[source.Path] = source.For
	}
	return charts
}

// Nodes of a stack without a chart must not receive the chart's images.
func TestEveryImageIsAssignedToItsChart(t *testing.T) {
	owners := map[string]string{
		"quay.io/metallb/": "metallb-chart", "quay.io/jetstack/": "cert-manager-chart",
		"docker.io/traefik:":                       "traefik-chart",
		"quay.io/argoproj/":                        "argocd-chart",
		"ecr-public.aws.com/docker/library/redis:": "argocd-chart",
		"docker.io/hashicorp/vault:":               "vault-chart", "docker.io/rancher/": "",
		"docker.io/strata/testserver:": "",
		"docker.io/apache/":            "apisix-chart", "ghcr.io/api7/adc:": "apisix-chart",
		"quay.io/keycloak/":  "apisix-chart",
		"ghcr.io/mccutchen/": "apisix-chart", "docker.io/strata/go-rest:": "apisix-chart",
		"docker.io/strata/cert-wait:": "cert-manager-chart",
	}
	found := goesWith(t)
	for _, archive := range archives() {
		known := false
		for prefix, chart := range owners {
			if strings.HasPrefix(archive.reference, prefix) {
				known = true
				assert.Equal(t, chart, found["images/"+archive.file()], archive.reference)
			}
		}
		assert.True(t, known, "%s: say which chart asks for it", archive.reference)
	}
	assert.Empty(t, found["k3s/k3s"])
}
