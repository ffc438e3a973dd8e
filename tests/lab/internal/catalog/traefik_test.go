package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// Gates, routes and tests refer to objects by the names of the official chart.
func TestTraefikChartUsesOfficialNames(t *testing.T) {
	chart := named(t, "traefik-chart")
	found := chart.render(t, chart.values)
	for _, key := range []string{
		"Deployment traefik", "Service traefik", "Service traefik-metrics",
		"ServiceAccount traefik", "PodDisruptionBudget traefik",
		"ClusterRole traefik-traefik", "ClusterRoleBinding traefik-traefik", "IngressClass traefik",
		"GatewayClass traefik",
		"Gateway traefik-gateway", "IngressRoute traefik-dashboard", "TLSStore default",
	} {
		assert.Contains(t, found, key)
	}
	assert.Len(t, found, 12)
	labels := at(t, found["Deployment traefik"], "spec", "selector", "matchLabels")
	assert.Equal(
		t,
		map[string]any{"app.kubernetes.io/name": "traefik", "app.kubernetes.io/instance": "traefik-traefik"},
		labels,
	)
	for _, key := range []string{"Service traefik", "Service traefik-metrics"} {
		assert.Equal(t, labels, at(t, found[key], "spec", "selector"), key)
	}
	assert.Equal(t, labels, at(t, found["PodDisruptionBudget traefik"], "spec", "selector", "matchLabels"))
}

// The official chart has the CRDs of both Traefik editions in crds/. Helm installs them unless
// skipCrds is set, and never deletes them.
func TestTraefikChartContainsCRDsOfBothEditions(t *testing.T) {
	groups := map[string]int{}
	for _, definition := range load(t, "traefik-chart").CRDObjects() {
		for document := range strings.SplitSeq(string(definition.File.Data), "\n---") {
			var object struct{ Spec struct{ Group string } }
			require.NoError(t, yaml.Unmarshal([]byte(document), &object))
			groups[object.Spec.Group]++
		}
	}
	delete(groups, "") // the text before a file's first "---"
	assert.Equal(t, map[string]int{"traefik.io": 10, "hub.traefik.io": 15}, groups)
}

func TestTraefikChartRendersValuesIntoObjects(t *testing.T) {
	chart := named(t, "traefik-chart")
	found := chart.render(t, chart.values)
	pod := at(t, found["Deployment traefik"], "spec", "template", "spec")
	container := at(t, pod, "containers", 0)
	arguments := at(t, container, "args")
	for _, want := range []string{
		"--entryPoints.web.address=:8000/tcp",
		"--entryPoints.web.transport.lifeCycle.graceTimeOut=30s",
		"--entryPoints.web.transport.keepAliveMaxTime=5s",
		"--entryPoints.web.http.redirections.entryPoint.to=:443",
		"--entryPoints.web.http.redirections.entryPoint.permanent=true",
		"--entryPoints.websecure.http.tls=true",
		"--providers.kubernetesingress.ingressendpoint.publishedservice=traefik/traefik",
		"--providers.kubernetesgateway.statusaddress.service.name=traefik",
		"--providers.kubernetesgateway.experimentalChannel=false",
		"--serversTransport.insecureSkipVerify=false",
	} {
		assert.Contains(t, arguments, want)
	}
	assert.EqualValues(t, 10, at(t, container, "lifecycle", "preStop", "sleep", "seconds"))
	assert.EqualValues(t, 60, at(t, pod, "terminationGracePeriodSeconds"))
	assert.EqualValues(t, 65532, at(t, pod, "securityContext", "runAsUser"))
	assert.Equal(t, "kubernetes.io/hostname", at(t, pod, "topologySpreadConstraints", 0, "topologyKey"))

	service := found["Service traefik"]
	assert.Equal(t, "Cluster", at(t, service, "spec", "externalTrafficPolicy"))
	assert.Len(t, at(t, service, "spec", "ports"), 2, "web and websecure; the others are not exposed")
	assert.EqualValues(t, 80, at(t, service, "spec", "ports", 0, "port"))
	assert.Equal(t, "gateway-tls",
		at(t, found["Gateway traefik-gateway"], "spec", "listeners", 1, "tls", "certificateRefs", 0, "name"))
}

func TestTraefikChartRejectsUnsupportedValues(t *testing.T) {
	chart := named(t, "traefik-chart")
	for values, want := range map[string]string{
		"logs: {general: {level: DEBUG}}":                                  "logs",
		"ports: {web: {redirectTo: {port: websecure}}}":                    "redirectTo",
		"ports: {web: {redirections: {}}}":                                 "redirections",
		"service: {type: NodePort}":                                        "type",
		"globalArguments: []":                                              "globalArguments",
		"ports: {web: {http: {redirections: {entryPoint: {to: secure}}}}}": "ports.web redirects to secure",
		"{providers: {kubernetesGateway: {enabled: true}}, gateway: {listeners: {web: {port: 80}}}}": "port 80 is not the port of an entry point",
		"{providers: {kubernetesGateway: {enabled: true}}, gateway: {listeners: {tls: {port: " +
			"8443, protocol: HTTPS}}}}": "HTTPS needs certificateRefs",
		"{providers: {kubernetesGateway: {enabled: true}}, gateway: {listeners: null}}": "gateway.listeners is empty",
	} {
		_, err := chart.try(t, values)
		require.ErrorContains(t, err, want, values)
	}
}

func TestTraefikChartOmitsDisabledObjects(t *testing.T) {
	found := named(
		t,
		"traefik-chart",
	).render(t, "{providers: {kubernetesGateway: {enabled: true}}, gateway: {enabled: false}}")
	assert.Contains(t, found, "GatewayClass traefik")
	assert.NotContains(t, found, "Gateway traefik-gateway")
	off := named(t, "traefik-chart").render(t, "{service: {enabled: false}, ingressClass: {enabled: false}}")
	assert.NotContains(t, off, "Service traefik")
	assert.NotContains(t, off, "IngressClass traefik")
	assert.NotContains(t, off, "GatewayClass traefik", "the provider is off by default")
}
