package catalog

import (
	"maps"
	"slices"

	"strata/tests/lab/internal/pulumihome"
)

// Versions of the parts that the lab builds. A version differs from Strata's pin (config/charts.go)
// if the pinned version cannot be built from Go modules alone.
const (
	// pulumiVersion is the newest version of the CLI whose command is published as a module.
	pulumiVersion = "3.274.1"
	// hostVersion is the last version of the SDK's module that contains the Go language host.
	hostVersion = "3.60.0"
	// kubernetesVersion is the version of Kubernetes in the k3s stand-in. It equals that of the
	// pinned K3s.
	kubernetesVersion = "1.36.3"
	// k3sVersion is the version that the k3s stand-in reports.
	k3sVersion = "v" + kubernetesVersion + "+k3s1"
	// metallbVersion is Strata's pin. It is built with an older frr-k8s, because the module proxy
	// does not serve the version that 0.16.2 requires.
	metallbVersion = "0.16.2"
	// corednsVersion is the version in K3s v1.36.4. K3s v1.36.2 has 1.14.4.
	corednsVersion = "1.14.6"
	// metricsVersion is the version in K3s v1.36.4. K3s v1.36.2 has 0.8.1, which the module proxy
	// does not serve.
	metricsVersion = "0.9.0"
	// certManagerVersion is Strata's pin. cert-manager does not publish its commands as modules, so
	// tools/cert-manager has commands of the lab's own.
	certManagerVersion = "1.21.2"
	// gatewayVersion is Strata's pin. 1.7.0 needs a newer Go.
	gatewayVersion = "1.6.1"
	// traefikVersion is Strata's pin. It is built with the go-http-auth of 3.7.9, because the
	// module proxy does not serve the version that 3.7.11 requires.
	traefikVersion = "3.7.11"
	// traefikChartVersion is the version of the official chart whose names and values the lab's
	// chart has.
	traefikChartVersion = "41.3.0"
	// vaultVersion is the newest version that compiles with a published SDK. The older 1.20
	// requires an SDK that was never published.
	vaultVersion = "1.21.0"
	// vaultChartVersion is the version of the official chart whose names and values the lab's chart
	// has.
	vaultChartVersion = "0.34.1"
	// apisixChartVersion is the version of the official chart whose names and values the lab's
	// chart has.
	apisixChartVersion = "2.14.0"
	// apisixControllerVersion is the version of the official chart of the ingress controller. That
	// chart uses the controller's image 2.2.0.
	apisixControllerVersion = "1.3.0"
	// httpbinVersion is the newest version that is published as a module.
	httpbinVersion = "2.18.3"
	// argocdVersion is Strata's pin. It is built with the GitOps engine of 3.4.2, because the
	// engine of 3.4.4 is not available.
	argocdVersion = "3.4.4"
	// argocdChartVersion is the version of the argo-helm chart whose names and values the lab's
	// chart has.
	argocdChartVersion = "10.1.1"
	// redisVersion is the version in the Debian release that images/build.sh names.
	redisVersion = "7.0.15"
	// waveVersion and waveChartVersion are the versions of the Wave release whose checkout
	// $STRATA_WAVE_SOURCE must name.
	waveVersion, waveChartVersion = "0.11.0", "4.5.0"
)

// pluginVersions has the versions of the Pulumi SDKs in the root module. The CLI requires exactly
// these plugin versions.
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
