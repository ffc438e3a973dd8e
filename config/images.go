package config

import "strings"

// OwnImage is the image of a program of this repository. No registry has it. Hosts get it as an
// archive, from the bundle or, with upstream's artifacts, as `strata fetch` has built it; the nodes
// of an existing cluster do not.
type OwnImage struct {
	// Name is the program's, Version its image's tag.
	Name, Version string
	// Folder is the program's module, relative to the project.
	Folder string
	// Key is the configuration key that names another image in its place; empty where none does.
	Key string
	// For is the artifact of the layer that asks for it.
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

// Reference returns the image's name where Strata builds it. No registry can answer to localhost: a
// node that has lost the image says so, and runs nothing that a stranger put there.
func (i OwnImage) Reference() string { return "localhost/strata/" + i.Name + ":" + i.Version }

// BundleReference returns the image's name in a bundle.
func (i OwnImage) BundleReference() string { return "docker.io/strata/" + i.Name + ":" + i.Version }

// url stands for the archive in the lock, as the address of a download does.
func (i OwnImage) url() string {
	return builtPrefix + i.Folder + "/" + i.Name + "-" + i.Version + ".tar"
}

// BuiltImage returns the image whose archive the URL of a pin stands for; false for a download.
func BuiltImage(url string) (OwnImage, bool) {
	for _, image := range OwnImages {
		if strings.HasPrefix(url, builtPrefix) && image.url() == url {
			return image, true
		}
	}
	return OwnImage{}, false
}

// askedImage is an image of ours in a configuration.
type askedImage struct {
	OwnImage
	// reference is the image's name in the configuration.
	reference *string
	// use completes "the image …" with the image's purpose; empty: it is not needed.
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

// deriveImages names the images that Strata brings.
func (c *Config) deriveImages() {
	if c.OnExistingCluster() {
		return
	}
	for _, asked := range c.askedImages() {
		name := asked.BundleReference()
		if c.Artifacts.Source == SourceUpstream {
			name = asked.Reference()
		}
		*asked.reference = or(*asked.reference, name)
	}
}

// checkImages refuses a stack whose Pods would wait for an image that no registry has and Strata
// does not push.
func (c *Config) checkImages(ps *problems) {
	for _, asked := range c.askedImages() {
		if asked.use != "" && *asked.reference == "" {
			ps.add(field("%s", asked.Key), "",
				"is not set, and no public registry has the image "+asked.use,
				"make it with `strata image "+asked.Name+
					"`, give it to the cluster's nodes or to a registry of yours, and name it here")
		}
	}
}

// imagePins returns the images that the configuration has built.
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
