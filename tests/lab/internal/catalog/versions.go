package catalog

import (
	"maps"
	"slices"

	"strata/tests/lab/internal/pulumihome"
)

// These are the versions of the built parts. A version differs from Strata's own pin
// (config/charts.go) if the pin is not published in a form that can be built from modules alone.
const (
	// pulumiVersion is the CLI's version, the newest whose command is published as a module.
	pulumiVersion = "3.274.1"
	// hostVersion is the last release of the SDK whose module has the Go language host.
	hostVersion = "3.60.0"
	// kubernetesVersion is the version of upstream Kubernetes inside the k3s stand-in, the same as
	// in the pinned K3s.
	kubernetesVersion = "1.36.3"
	// k3sVersion is the version that the stand-in reports.
	k3sVersion = "v" + kubernetesVersion + "+k3s1"
	// metallbVersion is the pin, but is built with an older frr-k8s, because the module proxy does
	// not serve that of 0.16.2.
	metallbVersion = "0.16.2"
	// corednsVersion is that of K3s v1.36.4; K3s v1.36.2 has 1.14.4.
	corednsVersion = "1.14.6"
	// metricsVersion is that of K3s v1.36.4. K3s v1.36.2 has 0.8.1, which the module proxy does not
	// serve.
	metricsVersion = "0.9.0"
	// certManagerVersion is the pin. Its commands are not published as modules; tools/cert-manager
	// has those of the lab.
	certManagerVersion = "1.21.2"
	// gatewayVersion is the pin; 1.7.0 needs a newer Go.
	gatewayVersion = "1.6.1"
	// traefikVersion is the pin, but is built with the go-http-auth of 3.7.9, because the module
	// proxy does not serve that of 3.7.11.
	traefikVersion = "3.7.11"
	// traefikChartVersion is the official chart whose names and values the lab's chart uses.
	traefikChartVersion = "41.3.0"
	// vaultVersion is the newest version that fits a published SDK: 1.20 is written against an SDK
	// that was never published.
	vaultVersion = "1.21.0"
	// vaultChartVersion is the official chart whose names and values the lab's chart uses.
	vaultChartVersion = "0.34.1"
	// apisixChartVersion is the official chart whose names and values the lab's chart uses.
	apisixChartVersion = "2.14.0"
	// apisixControllerVersion is the official chart of the ingress controller. That chart asks for
	// the image of 2.2.0.
	apisixControllerVersion = "1.3.0"
	// httpbinVersion is the newest version that is published as a module.
	httpbinVersion = "2.18.3"
	// argocdVersion is the pin, but is built with the engine of 3.4.2, because the engine of 3.4.4
	// is not available.
	argocdVersion = "3.4.4"
	// argocdChartVersion is argo-helm's chart whose names and values the lab's chart uses.
	argocdChartVersion = "10.1.1"
	// redisVersion is Debian's, of the release that images/build.sh names.
	redisVersion = "7.0.15"
	// waveVersion and waveChartVersion belong to the release of which STRATA_WAVE_SOURCE is a
	// checkout.
	waveVersion, waveChartVersion = "0.11.0", "4.5.0"
)

// pluginVersions has the versions of the SDKs in the root module, because the CLI requires exactly
// these plugins.
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
