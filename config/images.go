package config

import (
	"cmp"
	"strings"
)

// OwnImage describes the image of a program in this repository, which no registry has. Hosts get it
// as an archive: from the bundle, or as built by `strata fetch` if artifacts come from upstream.
// The nodes of an existing cluster do not get it.
type OwnImage struct {
	// Name is the program's name, and Version the tag of its image.
	Name, Version string
	// Folder is the program's module, relative to the project.
	Folder string
	// Key is the configuration key that selects another image instead; empty if there is none.
	Key string
	// For is the artifact of the layer that needs the image.
	For string
}

// OwnImages are all images of this repository.
var OwnImages = []OwnImage{
	{Name: "go-rest", Version: "1.0.0", Folder: "examples/go-rest", Key: "apps.restImage",
		For: ArtifactAPISIXChart},
	{Name: "cert-wait", Version: "1.0.0", Folder: "tools/cert-wait", Key: "apps.certWaitImage",
		For: ArtifactCertManagerChart},
	{Name: "testserver", Version: "v1", Folder: "tests/lab/tools/testserver"}, // of `make deploy`
}

// builtPrefix begins the URL of an image that `strata fetch` builds.
const builtPrefix = "built:"

// Reference returns the name of the image that Strata builds. Its registry is localhost, from which
// nothing can be pulled. If a node has lost the image, its Pods fail, and never run an image from
// another registry.
func (i OwnImage) Reference() string { return "localhost/strata/" + i.Name + ":" + i.Version }

// BundleReference returns the image's name in a bundle.
func (i OwnImage) BundleReference() string { return "docker.io/strata/" + i.Name + ":" + i.Version }

// url returns the URL that identifies the archive in the lock, in place of a download's address.
func (i OwnImage) url() string {
	return builtPrefix + i.Folder + "/" + i.Name + "-" + i.Version + ".tar"
}

// BuiltImage returns the image that the URL of a pin stands for. It returns false if the URL is
// that of a download.
func BuiltImage(url string) (OwnImage, bool) {
	for _, image := range OwnImages {
		if strings.HasPrefix(url, builtPrefix) && image.url() == url {
			return image, true
		}
	}
	return OwnImage{}, false
}

// askedImage is an image of this repository that a configuration may need.
type askedImage struct {
	OwnImage
	// reference points to the image's name in the configuration.
	reference *string
	// use completes "the image …" with the image's purpose. It is empty if the image is not needed.
	use string
}

func (c *Config) askedImages() []askedImage {
	demo, certificate := "", ""
	if c.Apps.Demo {
		demo = "of the demo's REST API"
	}
	for _, w := range c.Apps.Workloads {
		if w.Certificate != nil {
			certificate = "that workload " + w.Name + " waits for its certificate with"
			break
		}
	}
	return []askedImage{{OwnImages[0], &c.Apps.RestImage, demo},
		{OwnImages[1], &c.Apps.CertWaitImage, certificate}}
}

// deriveImages sets the unset names of images that Strata copies to hosts.
func (c *Config) deriveImages() {
	if c.OnExistingCluster() {
		return
	}
	for _, asked := range c.askedImages() {
		name := asked.BundleReference()
		if c.Artifacts.Source == SourceUpstream {
			name = asked.Reference()
		}
		*asked.reference = cmp.Or(*asked.reference, name)
	}
}

// checkImages reports Pods that could never start, because their image is in no registry and Strata
// does not push it to the nodes.
func (c *Config) checkImages(ps *problems) {
	for _, asked := range c.askedImages() {
		ps.addIf(asked.use != "" && *asked.reference == "", field("%s", asked.Key), "",
			"is not set, and no public registry has the image "+asked.use,
			"make it with `strata image "+asked.Name+
				"`, give it to the cluster's nodes or to a registry of yours, and name it here")
	}
}

// imagePins returns the pins of the images that `strata fetch` must build for this configuration.
func (c *Config) imagePins() (pins []Pin) {
	if c.OnExistingCluster() || c.Artifacts.Source != SourceUpstream {
		return nil
	}
	for _, asked := range c.askedImages() {
		if asked.use != "" && *asked.reference == asked.Reference() {
			pins = append(pins, Pin{
				Name: ArtifactK3sImages, Version: asked.Name + "-" + asked.Version,
				Arch: c.Hosts.Arch,
				URL:  asked.url(), Key: field("%s", asked.Key), For: asked.For,
			})
		}
	}
	return pins
}
