package config

import "strings"

const (
	// K3sVersion is the pinned release of K3s: upstream's channel stable when it was pinned.
	K3sVersion = "v1.36.3+k3s1"
	// MetalLBChartVersion is the pinned release of MetalLB's chart.
	MetalLBChartVersion = "0.16.2"
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
	// ArtifactMachineImage is the root file system of driver machine; only bundles have it.
	ArtifactMachineImage = "machine-image"
)

// Pin is one artifact at the version that this release of Strata was made for.
type Pin struct {
	// Name is the artifact's name.
	Name string
	// Version is upstream's version.
	Version string
	// Arch is the processor architecture in Go's terms (amd64, arm64); empty when it does not matter.
	Arch string
	// URL is where upstream publishes the artifact.
	URL string
	// Sums is the URL of upstream's own list of sha256 sums; empty where upstream has none.
	Sums string
	// Key is the configuration key that overrides the version; empty where none does.
	Key string
}

// Architectures are the processor architectures that artifacts are pinned for, in Go's terms.
var Architectures = []string{"amd64", "arm64"}

// Pins are all pinned artifacts, with each version as the configuration says: an explicit version replaces the pin's.
func (c *Config) Pins() []Pin {
	return Pins(or(c.K3s.Version, K3sVersion), or(c.MetalLB.ChartVersion, MetalLBChartVersion))
}

// Pins are all pinned artifacts for a version of K3s and of MetalLB's chart.
func Pins(k3s, metallb string) []Pin {
	const k3sKey, metallbKey = "strata:k3s.version", "strata:metallb.chartVersion"
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
			Pin{Name: ArtifactK3s, Version: k3s, Arch: arch, URL: release + binary, Sums: sums, Key: k3sKey},
			Pin{Name: ArtifactK3sImages, Version: k3s, Arch: arch, URL: release + images, Sums: sums, Key: k3sKey})
	}
	version := strings.TrimPrefix(metallb, "v")
	return append(pins,
		// The script at the release's tag, not get.k3s.io: that one changes without notice.
		Pin{Name: ArtifactK3sInstall, Version: k3s, URL: script, Key: k3sKey},
		Pin{
			Name: ArtifactMetalLBChart, Version: version, Key: metallbKey,
			URL: "https://github.com/metallb/metallb/releases/download/metallb-chart-" + version + "/metallb-" + version + ".tgz",
		})
}
