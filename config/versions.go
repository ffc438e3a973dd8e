package config

import (
	"path"
	"slices"
	"strings"
)

const (
	// K3sVersion is the pinned release of K3s: upstream's channel stable when it was pinned.
	K3sVersion = "v1.36.3+k3s1"
	// MetalLBChartVersion is the pinned release of MetalLB's chart.
	MetalLBChartVersion = "0.16.2"
	// GatewayAPIVersion is the pinned release of the Gateway API, standard channel: the newest that
	// both Traefik and APISIX read (Traefik 3.7 needs 1.5 or later, APISIX's controller is built
	// with 1.6).
	GatewayAPIVersion = "v1.6.1"
	// CertManagerChartVersion is the pinned release of cert-manager and its chart.
	CertManagerChartVersion = "v1.21.2"
	// VaultChartVersion is the pinned release of Vault's chart.
	VaultChartVersion = "0.34.1"
	// TraefikVersion is the pinned release of Traefik whose CRDs are installed: that of the pinned
	// chart.
	TraefikVersion = "v3.7.11"
	// TraefikChartVersion is the pinned release of Traefik's chart.
	TraefikChartVersion = "41.3.0"
	// APISIXChartVersion is the pinned release of the chart of APISIX's data plane.
	APISIXChartVersion = "2.14.0"
	// APISIXControllerChartVersion is the pinned release of the chart of APISIX's ingress
	// controller, the first with 2.2.0: earlier ones keep stale upstreams (docs/versions.md). Its
	// CRDs are installed apart from it: the chart would bring its own Gateway API as well.
	APISIXControllerChartVersion = "1.3.0"
	// WaveChartVersion is the pinned release of Wave's chart.
	WaveChartVersion = "4.5.0"
	// ArgoCDChartVersion is the pinned release of Argo CD's chart.
	ArgoCDChartVersion = "10.1.1"
)

// The names of artifacts: what a bundle's manifest and strata.lock call them.
const (
	// ArtifactK3s is the K3s binary.
	ArtifactK3s = "k3s"
	// ArtifactK3sInstall is K3s's install script.
	ArtifactK3sInstall = "k3s-install"
	// ArtifactK3sImages are archives of container images that K3s imports when it starts.
	ArtifactK3sImages = "k3s-images"
	// ArtifactMetalLBChart is MetalLB's Helm chart.
	ArtifactMetalLBChart = "metallb-chart"
	// ArtifactGatewayCRDs are the Gateway API's CRDs, standard channel.
	ArtifactGatewayCRDs = "gateway-api-crds"
	// ArtifactCertManagerChart is cert-manager's Helm chart, which brings its CRDs.
	ArtifactCertManagerChart = "cert-manager-chart"
	// ArtifactVaultChart is Vault's Helm chart.
	ArtifactVaultChart = "vault-chart"
	// ArtifactTraefikCRDs are Traefik's own CRDs.
	ArtifactTraefikCRDs = "traefik-crds"
	// ArtifactTraefikChart is Traefik's Helm chart.
	ArtifactTraefikChart = "traefik-chart"
	// ArtifactAPISIXCRDs are APISIX's own CRDs.
	ArtifactAPISIXCRDs = "apisix-crds"
	// ArtifactAPISIXChart is the Helm chart of APISIX's data plane.
	ArtifactAPISIXChart = "apisix-chart"
	// ArtifactAPISIXControllerChart is the Helm chart of APISIX's ingress controller.
	ArtifactAPISIXControllerChart = "apisix-controller-chart"
	// ArtifactWaveChart is Wave's Helm chart.
	ArtifactWaveChart = "wave-chart"
	// ArtifactArgoCDChart is Argo CD's Helm chart, which brings its CRDs.
	ArtifactArgoCDChart = "argocd-chart"
	// ArtifactMachineImage is the root file system of driver machine; only bundles have it.
	ArtifactMachineImage = "machine-image"
	// ArtifactVMImage is the disk image of drivers libvirt and proxmox, a qcow2 with cloud-init.
	ArtifactVMImage = "vm-image"
)

// Pin is one artifact at the version that this release of Strata was made for.
type Pin struct {
	// Name is the artifact's name.
	Name string
	// Version is upstream's version.
	Version string
	// Arch is the processor architecture in Go's terms (amd64, arm64); empty when it does not
	// matter.
	Arch string
	// URL is the artifact's address at upstream, or stands for one that is built (BuiltImage).
	URL string
	// Sums is the URL of upstream's own list of sha256 sums; empty where upstream has none.
	Sums string
	// Key is the configuration key that overrides the version; empty where none does.
	Key string
	// For is the artifact that this one goes with; empty for one that every stack gets.
	For string
}

// Architectures are the processor architectures that artifacts are pinned for, in Go's terms.
var Architectures = []string{"amd64", "arm64"}

// Versions are the versions that a configuration asks for; an unset one is the pin.
type Versions struct{ K3s, MetalLB, GatewayAPI, CertManager, Vault, Traefik, APISIX, APISIXController, ArgoCD, Wave string }

// Pins are all pinned artifacts, with each version as the configuration says: an explicit version
// replaces the pin's.
func (c *Config) Pins() []Pin {
	pins := Pins(Versions{
		K3s: c.K3s.Version, MetalLB: c.MetalLB.ChartVersion, GatewayAPI: c.CRDs.GatewayAPIVersion,
		CertManager: c.CertManager.ChartVersion, Vault: c.Vault.ChartVersion, Traefik: c.Traefik.ChartVersion,
		APISIX: c.APISIX.ChartVersion, APISIXController: c.APISIX.ControllerChartVersion, ArgoCD: c.ArgoCD.ChartVersion,
		Wave: c.Apps.Wave.ChartVersion,
	})
	if pin, ok := c.VMImagePin(); ok {
		pins = append(pins, pin)
	}
	return append(pins, c.imagePins()...)
}

// VMImagePin is the image that the configuration names by its URL. It has no list of sums: the lock
// has its sum from the first download on.
func (c *Config) VMImagePin() (Pin, bool) {
	url := c.Hosts.VM.Image
	if !c.NeedsVMImage() || url == "" {
		return Pin{}, false
	}
	name := path.Base(url)
	return Pin{Name: ArtifactVMImage, Version: strings.TrimSuffix(name, path.Ext(name)), Arch: c.Hosts.Arch, URL: url, Key: "strata:hosts.vm.image"}, true
}

// NeedsVMImage is true when the hosts start from a disk image of ours.
func (c *Config) NeedsVMImage() bool {
	return c.Hosts.Driver.MakesVMs() && c.Hosts.Proxmox.Template == 0
}

// Pins are all pinned artifacts.
func Pins(v Versions) []Pin {
	chart := func(name, version, key, url string) Pin {
		return Pin{Name: name, Version: version, Key: key, URL: strings.ReplaceAll(url, "VERSION", version)}
	}
	bare := strings.TrimPrefix(or(v.MetalLB, MetalLBChartVersion), "v")
	return append(k3sPins(or(v.K3s, K3sVersion)),
		chart(ArtifactMetalLBChart, bare, "strata:metallb.chartVersion",
			"https://github.com/metallb/metallb/releases/download/metallb-chart-VERSION/metallb-VERSION.tgz"),
		chart(ArtifactGatewayCRDs, or(v.GatewayAPI, GatewayAPIVersion), "strata:crds.gatewayAPIVersion",
			"https://github.com/kubernetes-sigs/gateway-api/releases/download/VERSION/standard-install.yaml"),
		chart(ArtifactCertManagerChart, or(v.CertManager, CertManagerChartVersion), "strata:certManager.chartVersion",
			"https://charts.jetstack.io/charts/cert-manager-VERSION.tgz"),
		chart(ArtifactVaultChart, or(v.Vault, VaultChartVersion), "strata:vault.chartVersion",
			"https://helm.releases.hashicorp.com/vault-VERSION.tgz"),
		chart(ArtifactTraefikCRDs, TraefikVersion, "",
			"https://raw.githubusercontent.com/traefik/traefik/VERSION/docs/content/reference/dynamic-configuration/kubernetes-crd-definition-v1.yml"),
		chart(ArtifactTraefikChart, or(v.Traefik, TraefikChartVersion), "strata:traefik.chartVersion",
			"https://traefik.github.io/charts/traefik/traefik-VERSION.tgz"),
		chart(ArtifactAPISIXCRDs, or(v.APISIXController, APISIXControllerChartVersion), "strata:apisix.controllerChartVersion",
			"https://raw.githubusercontent.com/apache/apisix-helm-chart/apisix-ingress-controller-VERSION/charts/apisix-ingress-controller/crds/apisixic-crds.yaml"),
		chart(ArtifactAPISIXControllerChart, or(v.APISIXController, APISIXControllerChartVersion), "strata:apisix.controllerChartVersion",
			"https://github.com/apache/apisix-helm-chart/releases/download/apisix-ingress-controller-VERSION/apisix-ingress-controller-VERSION.tgz"),
		chart(ArtifactAPISIXChart, or(v.APISIX, APISIXChartVersion), "strata:apisix.chartVersion",
			"https://github.com/apache/apisix-helm-chart/releases/download/apisix-VERSION/apisix-VERSION.tgz"),
		chart(ArtifactArgoCDChart, or(v.ArgoCD, ArgoCDChartVersion), "strata:argocd.chartVersion",
			"https://github.com/argoproj/argo-helm/releases/download/argo-cd-VERSION/argo-cd-VERSION.tgz"),
		chart(ArtifactWaveChart, or(v.Wave, WaveChartVersion), "strata:apps.wave.chartVersion",
			"https://github.com/wave-k8s/wave/releases/download/wave-VERSION/wave-VERSION.tgz"),
	)
}

// k3sPins are K3s's own artifacts, for each architecture.
func k3sPins(k3s string) []Pin {
	const key = "strata:k3s.version"
	// A plus sign in a URL's path may be read as a space, so it is escaped.
	release := "https://github.com/k3s-io/k3s/releases/download/" + strings.ReplaceAll(k3s, "+", "%2B") + "/"
	script := "https://raw.githubusercontent.com/k3s-io/k3s/" + strings.ReplaceAll(k3s, "+", "%2B") + "/install.sh"
	var pins []Pin
	for _, arch := range Architectures {
		binary := "k3s"
		if arch != "amd64" {
			binary += "-" + arch
		}
		sums := release + "sha256sum-" + arch + ".txt"
		images := "k3s-airgap-images-" + arch + ".tar.zst"
		pins = append(pins,
			Pin{Name: ArtifactK3s, Version: k3s, Arch: arch, URL: release + binary, Sums: sums, Key: key},
			Pin{Name: ArtifactK3sImages, Version: k3s, Arch: arch, URL: release + images, Sums: sums, Key: key})
	}
	// The script at the release's tag, not get.k3s.io: that one changes without notice.
	return append(pins, Pin{Name: ArtifactK3sInstall, Version: k3s, URL: script, Key: key})
}

// Explicit returns the key that overrides the version of an artifact, and its value; empty without
// one.
func (c *Config) Explicit(artifact string) (key, version string) {
	set := map[string][2]string{
		ArtifactK3s:                   {"strata:k3s.version", c.K3s.Version},
		ArtifactMetalLBChart:          {"strata:metallb.chartVersion", c.MetalLB.ChartVersion},
		ArtifactGatewayCRDs:           {"strata:crds.gatewayAPIVersion", c.CRDs.GatewayAPIVersion},
		ArtifactCertManagerChart:      {"strata:certManager.chartVersion", c.CertManager.ChartVersion},
		ArtifactVaultChart:            {"strata:vault.chartVersion", c.Vault.ChartVersion},
		ArtifactTraefikChart:          {"strata:traefik.chartVersion", c.Traefik.ChartVersion},
		ArtifactAPISIXChart:           {"strata:apisix.chartVersion", c.APISIX.ChartVersion},
		ArtifactAPISIXCRDs:            {"strata:apisix.controllerChartVersion", c.APISIX.ControllerChartVersion},
		ArtifactAPISIXControllerChart: {"strata:apisix.controllerChartVersion", c.APISIX.ControllerChartVersion},
		ArtifactArgoCDChart:           {"strata:argocd.chartVersion", c.ArgoCD.ChartVersion},
		ArtifactWaveChart:             {"strata:apps.wave.chartVersion", c.Apps.Wave.ChartVersion},
	}[artifact]
	return set[0], set[1]
}

// NeededPins returns the pins of the configured layers, for the architecture of the hosts.
func (c *Config) NeededPins() []Pin {
	needed := c.Needed()
	return slices.DeleteFunc(c.Pins(), func(pin Pin) bool {
		return !slices.Contains(needed, pin.Name) || pin.Arch != "" && pin.Arch != c.Hosts.Arch
	})
}

// Needed are the names of the artifacts that the configured layers ask for, less the machine image.
func (c *Config) Needed() []string {
	var names []string
	if !c.OnExistingCluster() {
		names = append(names, ArtifactK3s, ArtifactK3sInstall, ArtifactK3sImages)
	}
	if *c.MetalLB.Enabled {
		names = append(names, ArtifactMetalLBChart)
	}
	if *c.CertManager.Enabled {
		names = append(names, ArtifactCertManagerChart)
	}
	if *c.Vault.Enabled {
		names = append(names, ArtifactVaultChart)
	}
	if c.Ingress.Uses(ControllerTraefik) {
		names = append(names, ArtifactGatewayCRDs, ArtifactTraefikCRDs, ArtifactTraefikChart)
	}
	if c.Ingress.Uses(ControllerAPISIX) {
		if !c.Ingress.Uses(ControllerTraefik) {
			names = append(names, ArtifactGatewayCRDs)
		}
		names = append(names, ArtifactAPISIXCRDs, ArtifactAPISIXChart, ArtifactAPISIXControllerChart)
	}
	if *c.ArgoCD.Enabled {
		names = append(names, ArtifactArgoCDChart)
	}
	if *c.Apps.Wave.Enabled {
		names = append(names, ArtifactWaveChart)
	}
	return names
}
