package catalog_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// certManagerCRDs are the CRDs of cert-manager's chart.
var certManagerCRDs = []string{
	"certificaterequests.cert-manager.io", "certificates.cert-manager.io", "challenges.acme.cert-manager.io",
	"clusterissuers.cert-manager.io", "issuers.cert-manager.io", "orders.acme.cert-manager.io",
}

func TestCertManagerChartAcceptsOldAndNewCRDValues(t *testing.T) {
	chart := named(t, "cert-manager-chart")
	for values, want := range map[string]struct {
		crds bool
		keep any
	}{
		"crds: {enabled: true}":              {true, "keep"},
		"crds: {enabled: true, keep: false}": {true, nil},
		"installCRDs: true":                  {true, "keep"},
		"{}":                                 {},
	} {
		found := chart.render(t, values)
		for _, name := range certManagerCRDs {
			crd, ok := found["CustomResourceDefinition "+name]
			assert.Equal(t, want.crds, ok, "%s: %s", values, name)
			if ok && want.keep != nil {
				assert.Equal(t, want.keep, at(t, crd, "metadata", "annotations", "helm.sh/resource-policy"), values)
			} else if ok {
				assert.Nil(t, at(t, crd, "metadata", "annotations"), values)
			}
		}
	}
}

func TestCertManagerChartRendersPDBsAndConfigFromValues(t *testing.T) {
	chart := named(t, "cert-manager-chart")
	found := chart.render(t, chart.values)
	for component, name := range map[string]string{
		"cert-manager": "cert-manager", "webhook": "cert-manager-webhook", "cainjector": "cert-manager-cainjector",
	} {
		selected := at(t, found["PodDisruptionBudget "+name], "spec", "selector", "matchLabels")
		assert.Equal(t, at(t, found["Deployment "+name], "spec", "selector", "matchLabels"), selected, component)
	}
	arguments := at(t, found["Deployment cert-manager"], "spec", "template", "spec", "containers", 0, "args")
	assert.Contains(t, arguments, "--config=/var/cert-manager/config/config.yaml")
	plain := slices.Sorted(maps.Keys(chart.render(t, "{}")))
	assert.NotContains(t, strings.Join(plain, " "), "PodDisruptionBudget", "off unless asked for")
}
