package catalog_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"

	"strata/tests/lab/internal/catalog"
)

// release is a chart of the bundle as Strata installs it.
type release struct {
	step, name, namespace string
	// values are a YAML text, as a reader would pass it to Helm.
	values string
	// workloads are the names of what runs Pods.
	workloads []string
}

// releases are all charts of the bundle, with the values that matter for what is rendered.
var releases = []release{
	{
		step: "metallb-chart", name: "metallb", namespace: "metallb-system",
		values:    "{frrk8s: {enabled: false}, speaker: {frr: {enabled: false}}}",
		workloads: []string{"metallb-controller", "metallb-speaker"},
	},
	{
		step: "cert-manager-chart", name: "cert-manager", namespace: "cert-manager",
		values: `
crds: {enabled: true, keep: true}
replicaCount: 2
podDisruptionBudget: {enabled: true}
webhook: {replicaCount: 3, podDisruptionBudget: {enabled: true}}
cainjector: {replicaCount: 2, podDisruptionBudget: {enabled: true}}
config: {gatewayAPI: {enabled: true}}
startupapicheck: {enabled: false}
`,
		workloads: []string{"cert-manager", "cert-manager-cainjector", "cert-manager-webhook"},
	},
	{
		step: "traefik-chart", name: "traefik", namespace: "traefik",
		values: `
deployment: {replicas: 2, minReadySeconds: 10, terminationGracePeriodSeconds: 60, lifecycle: {preStop: {sleep: {seconds: 10}}}}
updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}
podDisruptionBudget: {enabled: true, maxUnavailable: 1}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: {matchLabels: {app.kubernetes.io/name: traefik}}
ingressClass: {enabled: true, isDefaultClass: true, name: traefik}
providers:
  kubernetesCRD: {enabled: true, allowCrossNamespace: false}
  kubernetesIngress: {enabled: true, publishedService: {enabled: true}}
  kubernetesGateway: {enabled: true, experimentalChannel: false, statusAddress: {service: {enabled: true}}}
gateway:
  enabled: true
  listeners:
    web: {port: 8000, protocol: HTTP, namespacePolicy: {from: All}}
    websecure: {port: 8443, protocol: HTTPS, certificateRefs: [{name: gateway-tls}]}
gatewayClass: {enabled: true, name: traefik}
service:
  annotations: {metallb.io/loadBalancerIPs: 192.168.1.240}
  spec: {type: LoadBalancer, externalTrafficPolicy: Cluster}
ports:
  web:
    transport: {lifeCycle: {requestAcceptGraceTimeout: 0s, graceTimeOut: 30s}}
    http: {redirections: {entryPoint: {to: websecure, scheme: https, permanent: true}}}
  websecure:
    transport: {lifeCycle: {requestAcceptGraceTimeout: 0s, graceTimeOut: 30s}}
ingressRoute:
  dashboard:
    enabled: true
    entryPoints: [websecure]
    matchRule: Host(` + "`t.example.org`) && (PathPrefix(`/dashboard`) || PathPrefix(`/api`)" + `)
    middlewares: [{name: dashboard-auth}]
    tls: {secretName: traefik-dashboard-tls}
metrics: {prometheus: {service: {enabled: true}}}
log: {level: DEBUG, format: json}
accessLog: {enabled: true}
tlsStore: {default: {defaultCertificate: {secretName: gateway-tls}}}
global: {checkNewVersion: false, sendAnonymousUsage: false}
resources: {requests: {cpu: 50m, memory: 64Mi}}
additionalArguments: ["--serversTransport.insecureSkipVerify=false"]
`,
		workloads: []string{"traefik"},
	},
	{
		step: "argocd-chart", name: "argocd", namespace: "argocd",
		values: `
global: {domain: argocd.example.org}
crds: {install: false}
configs:
  params: {server.insecure: true}
  cm: {timeout.reconciliation: 30s}
  secret: {createSecret: true, argocdServerAdminPassword: hash, argocdServerAdminPasswordMtime: "2025-01-01T00:00:00Z"}
  repositories: {lab: {url: "https://git.example.org/x.git", type: git}}
redisSecretInit: {enabled: true}
dex: {enabled: false}
notifications: {enabled: false}
applicationSet: {replicas: 0}
server:
  replicas: 2
  pdb: {enabled: true, maxUnavailable: 1}
  ingress: {enabled: true, ingressClassName: traefik, tls: true}
repoServer: {replicas: 2}
`,
		workloads: []string{
			"argocd-server", "argocd-repo-server", "argocd-application-controller", "argocd-applicationset-controller",
			"argocd-redis", "argocd-redis-secret-init",
		},
	},
}

// named returns the release of a chart's step.
func named(t *testing.T, step string) release {
	t.Helper()
	i := slices.IndexFunc(releases, func(r release) bool { return r.step == step })
	require.GreaterOrEqual(t, i, 0, step)
	return releases[i]
}

// load builds a chart's step and loads what it packaged.
func load(t *testing.T, step string) *chart.Chart {
	t.Helper()
	entry := built(t, step)
	loaded, err := loader.LoadFile(filepath.Join(entry.Dir, entry.Files[0].Path))
	require.NoError(t, err)
	return loaded
}

// objects are rendered objects by "Kind name".
type objects map[string]map[string]any

// render returns the objects of a release as Helm would install them on the lab's Kubernetes.
func (r release) render(t *testing.T, values string) objects {
	t.Helper()
	found, err := r.try(t, values)
	require.NoError(t, err)
	return found
}

// try is render for values that the chart may refuse.
func (r release) try(t *testing.T, text string) (objects, error) {
	t.Helper()
	values := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &values))
	loaded := load(t, r.step)
	require.NoError(t, chartutil.ProcessDependencies(loaded, values))
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.34.2", Major: "1", Minor: "34"}
	options := chartutil.ReleaseOptions{Name: r.name, Namespace: r.namespace, IsInstall: true}
	all, err := chartutil.ToRenderValues(loaded, values, options, capabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	found := objects{}
	for path, text := range files {
		if filepath.Ext(path) == ".txt" {
			continue
		}
		for document := range strings.SplitSeq(text, "\n---") {
			found.add(t, path, document)
		}
	}
	return found, nil
}

// add takes an object; two of the same kind and name would overwrite each other in the cluster.
func (o objects) add(t *testing.T, path, document string) {
	t.Helper()
	var object map[string]any
	require.NoError(t, yaml.UnmarshalStrict([]byte(document), &object), path)
	if len(object) == 0 {
		return
	}
	metadata, _ := object["metadata"].(map[string]any)
	key := object["kind"].(string) + " " + metadata["name"].(string)
	if namespace, ok := metadata["namespace"].(string); ok && o[key] != nil {
		key += " in " + namespace
	}
	require.NotContains(t, o, key, path)
	o[key] = object
}

// at follows a path of keys and indexes.
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch typed := step.(type) {
		case string:
			object, ok := value.(map[string]any)
			require.True(t, ok, "%v: no object at %v", path, step)
			value = object[typed]
		case int:
			list, ok := value.([]any)
			require.True(t, ok && typed < len(list), "%v: no list with %v", path, step)
			value = list[typed]
		}
	}
	return value
}

// images collects every value of a key "image" below a value.
func images(value any, found map[string]bool) {
	switch typed := value.(type) {
	case map[string]any:
		if image, ok := typed["image"].(string); ok {
			found[image] = true
		}
		for _, inner := range typed {
			images(inner, found)
		}
	case []any:
		for _, inner := range typed {
			images(inner, found)
		}
	}
}

func TestEveryImageOfEveryChartIsInTheBundle(t *testing.T) {
	for _, release := range releases {
		t.Run(release.step, func(t *testing.T) {
			var workloads []string
			found := map[string]bool{}
			for key, object := range release.render(t, release.values) {
				kind, name, _ := strings.Cut(key, " ")
				if slices.Contains([]string{"Deployment", "DaemonSet", "StatefulSet", "Job"}, kind) {
					workloads = append(workloads, name)
					images(object, found)
				}
			}
			assert.ElementsMatch(t, release.workloads, workloads)
			require.NotEmpty(t, found)
			for image := range found {
				assert.Contains(t, catalog.References(), image)
			}
		})
	}
}

func TestHelmFindsNothingWrongWithTheCharts(t *testing.T) {
	for _, release := range releases {
		t.Run(release.step, func(t *testing.T) {
			dir := t.TempDir()
			entry := built(t, release.step)
			require.NoError(t, chartutil.ExpandFile(dir, filepath.Join(entry.Dir, entry.Files[0].Path)))
			values := map[string]any{}
			require.NoError(t, yaml.Unmarshal([]byte(release.values), &values))
			folder := filepath.Join(dir, load(t, release.step).Name())
			for _, message := range lint.AllWithKubeVersion(folder, values, release.namespace, nil).Messages {
				assert.Less(t, message.Severity, support.ErrorSev, "%s", message)
			}
		})
	}
}

func TestTheMetalLBChartCarriesItsSubcharts(t *testing.T) {
	var names []string
	for _, sub := range load(t, "metallb-chart").Dependencies() {
		names = append(names, sub.Name())
	}
	assert.ElementsMatch(t, []string{"crds", "frr-k8s"}, names)
}
