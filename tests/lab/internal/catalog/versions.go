package catalog

import (
	"maps"
	"slices"

	"strata/tests/lab/internal/pulumihome"
)

// Versions of the built parts. Where one differs from Strata's own pin (config/charts.go), the
// reason is that the pin is not published in a form that can be built from modules alone.
const (
	// pulumiVersion is the CLI's: the newest whose command is published as a module.
	pulumiVersion = "3.274.1"
	// hostVersion is the last release of the SDK whose module holds the Go language host.
	hostVersion = "3.60.0"
	// kubernetesVersion is upstream Kubernetes inside the k3s stand-in, that of the pinned K3s.
	kubernetesVersion = "1.36.3"
	// k3sVersion is the version that the stand-in reports.
	k3sVersion = "v" + kubernetesVersion + "+k3s1"
	// metallbVersion is the pin's, with an older frr-k8s: that of 0.16.2 is not served.
	metallbVersion = "0.16.2"
	// corednsVersion is that of K3s v1.36.4; v1.36.2 has 1.14.4.
	corednsVersion = "1.14.6"
	// metricsVersion is that of K3s v1.36.4; v1.36.2 has 0.8.1, which is not served.
	metricsVersion = "0.9.0"
	// certManagerVersion is the pin's. Its commands are not published; tools/cert-manager has the
	// lab's.
	certManagerVersion = "1.21.2"
	// gatewayVersion is the pin's: 1.7.0 needs a newer Go.
	gatewayVersion = "1.6.1"
	// traefikVersion is the pin's, with the go-http-auth of 3.7.9: that of 3.7.11 is not served.
	traefikVersion = "3.7.11"
	// traefikChartVersion is the official chart whose names and values the lab's has.
	traefikChartVersion = "41.3.0"
	// vaultVersion is one that its published SDK fits: 1.20 is written against an SDK that was
	// never published.
	vaultVersion = "1.21.0"
	// vaultChartVersion is the official chart whose names and values the lab's has.
	vaultChartVersion = "0.34.1"
	// apisixChartVersion is the official chart whose names and values the lab's has.
	apisixChartVersion = "2.14.0"
	// apisixControllerVersion is the official chart of the ingress controller; the image it asks
	// for is of 2.2.0.
	apisixControllerVersion = "1.3.0"
	// httpbinVersion is the newest that is published as a module.
	httpbinVersion = "2.18.3"
	// argocdVersion is the pin's, with the engine of 3.4.2: its own cannot be had.
	argocdVersion = "3.4.4"
	// argocdChartVersion is argo-helm's chart whose names and values the lab's has.
	argocdChartVersion = "10.1.1"
	// redisVersion is Debian's, of the release that images/build.sh names.
	redisVersion = "7.0.15"
	// waveVersion and waveChartVersion are the release's whose repository STRATA_WAVE_SOURCE is a
	// checkout of.
	waveVersion, waveChartVersion = "0.11.0", "4.5.0"
)

// The plugins' versions are those of the SDKs in the root module: the CLI asks for exactly these.
var pluginVersions = map[string]string{
	"command":    "1.2.1",
	"random":     "4.19.2",
	"kubernetes": "4.32.0",
}

func pluginNames() []string { return slices.Sorted(maps.Keys(pluginVersions)) }

// PluginFolders returns the folders of the plugins in a PULUMI_HOME.
func PluginFolders() []string {
	var folders []string
	for _, name := range pluginNames() {
		folders = append(folders, pulumihome.PluginFolder(name, pluginVersions[name]))
	}
	return folders
}
