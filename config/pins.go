package config

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// K3sVersion is the pinned release of K3s. It was the release of upstream's channel stable when it
// was pinned.
const K3sVersion = "v1.36.3+k3s1"

// These are the artifacts of hosts, by their names in strata.lock and in a bundle's manifest.
const (
	// ArtifactK3s is the K3s binary.
	ArtifactK3s = "k3s"
	// ArtifactK3sInstall is K3s's install script.
	ArtifactK3sInstall = "k3s-install"
	// ArtifactK3sImages are archives of container images that K3s imports when it starts.
	ArtifactK3sImages = "k3s-images"
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
	// URL is the artifact's address at upstream. For an image that Strata builds, it only
	// identifies the image (BuiltImage).
	URL string
	// Sums is the URL of upstream's own list of sha256 sums; empty where upstream has none.
	Sums string
	// Key is the configuration key that overrides the version; empty if there is none.
	Key string
	// For is the artifact that needs this one; empty if every stack gets it.
	For string
}

// Architectures are the processor architectures that artifacts are pinned for, in Go's terms.
var Architectures = []string{"amd64", "arm64"}

// Pins returns the pinned artifacts at the versions of this release, without a configuration.
func Pins() []Pin { return new(Config).Pins() }

// Pins returns all pinned artifacts, at the versions that the configuration selects. It adds the
// image of the configured virtual machines, and the images that Strata builds.
func (c *Config) Pins() []Pin {
	pins := k3sPins(cmp.Or(c.K3s.Version, K3sVersion))
	for _, row := range charts {
		pins = append(pins, row.pin(c))
	}
	if pin, ok := c.VMImagePin(); ok {
		pins = append(pins, pin)
	}
	return append(pins, c.imagePins()...)
}

// VMImagePin returns the pin of the image whose URL the configuration has; false if the stack needs
// none. Upstream lists no checksum for it: the lock records that of the first download.
func (c *Config) VMImagePin() (Pin, bool) {
	url := c.Hosts.VM.Image
	if !c.NeedsVMImage() || url == "" {
		return Pin{}, false
	}
	name := path.Base(url)
	return Pin{Name: ArtifactVMImage, Version: strings.TrimSuffix(name, path.Ext(name)),
		Arch: c.Hosts.Arch, URL: url, Key: "strata:hosts.vm.image"}, true
}

// NeedsVMImage reports whether the hosts are machines that start from a disk image.
func (c *Config) NeedsVMImage() bool {
	return c.Hosts.Driver.MakesVMs() && c.Hosts.Proxmox.Template == 0
}

// k3sPins returns K3s's own artifacts, for each architecture.
func k3sPins(k3s string) []Pin {
	const key = "strata:k3s.version"
	// A plus sign in a URL's path may be read as a space, so it is escaped.
	release := "https://github.com/k3s-io/k3s/releases/download/" +
		strings.ReplaceAll(k3s, "+", "%2B") + "/"
	script := "https://raw.githubusercontent.com/k3s-io/k3s/" +
		strings.ReplaceAll(k3s, "+", "%2B") + "/install.sh"
	var pins []Pin
	for _, arch := range Architectures {
		binary := "k3s"
		if arch != "amd64" {
			binary += "-" + arch
		}
		sums := release + "sha256sum-" + arch + ".txt"
		images := "k3s-airgap-images-" + arch + ".tar.zst"
		pins = append(pins,
			Pin{Name: ArtifactK3s, Version: k3s, Arch: arch, URL: release + binary, Sums: sums,
				Key: key},
			Pin{Name: ArtifactK3sImages, Version: k3s, Arch: arch, URL: release + images,
				Sums: sums, Key: key})
	}
	// The script comes from the release's tag and not from get.k3s.io, whose script changes without
	// notice.
	return append(pins, Pin{Name: ArtifactK3sInstall, Version: k3s, URL: script, Key: key})
}

// Explicit returns the key that overrides the version of an artifact; empty if there is none.
// version is the key's value; empty if it is not set.
func (c *Config) Explicit(artifact string) (key, version string) {
	if artifact == ArtifactK3s {
		return "strata:k3s.version", c.K3s.Version
	}
	for _, row := range charts {
		if row.Name == artifact {
			version = row.version(c)
			return row.Key, version
		}
	}
	return "", ""
}

// NeededPins returns the pins of the configured layers, for the architecture of the hosts.
func (c *Config) NeededPins() []Pin {
	needed := c.NeededArtifacts()
	return slices.DeleteFunc(c.Pins(), func(pin Pin) bool {
		return !slices.Contains(needed, pin.Name) || pin.Arch != "" && pin.Arch != c.Hosts.Arch
	})
}

// NeededArtifacts returns the names of the artifacts that the configured layers need, without the
// disk image.
func (c *Config) NeededArtifacts() []string {
	var names []string
	if !c.OnExistingCluster() {
		names = append(names, ArtifactK3s, ArtifactK3sInstall, ArtifactK3sImages)
	}
	for _, row := range charts {
		if row.needed(c) {
			names = append(names, row.Name)
		}
	}
	return names
}
