package catalog

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/imagetar"
)

// TestServer is the image of the small HTTP server that tests put behind a Service.
const TestServer = "docker.io/strata/testserver:v1"

// nonRoot is the user of every image that does not have to be root: distroless images use it too.
const nonRoot = 65532

// image is one container image made of a built command.
type image struct {
	// reference is what manifests and charts ask for.
	reference string
	// binary is a file of the step's output.
	binary string
	user   int
}

// archive is one image tar of the bundle, made from the output of one step.
type archive struct {
	step    string
	version string
	origin  string
	images  []image
}

// The images that the k3s stand-in deploys, named as K3s names them.
const (
	pauseImage   = "docker.io/rancher/mirrored-pause:3.6"
	coreDNSImage = "docker.io/rancher/mirrored-coredns-coredns:" + corednsVersion
	metricsImage = "docker.io/rancher/mirrored-metrics-server:v" + metricsVersion
)

// archives are the image tars.
func archives() []archive {
	return []archive{
		{
			step: stepPause, version: "3.6", origin: "stand-in: a Go program that sleeps and reaps, in place of pause",
			images: []image{{pauseImage, "pause", nonRoot}},
		},
		{
			step: stepCoreDNS, version: corednsVersion, origin: "real: CoreDNS from its module",
			images: []image{{coreDNSImage, "coredns", nonRoot}},
		},
		{
			step: stepMetalLB, version: metallbVersion, origin: "real: MetalLB's controller and speaker from its module, without FRR",
			images: []image{
				{"quay.io/metallb/controller:v" + metallbVersion, "controller", nonRoot},
				// The speaker opens raw sockets for ARP.
				{"quay.io/metallb/speaker:v" + metallbVersion, "speaker", 0},
			},
		},
		{
			step: stepMetrics, version: metricsVersion, origin: "real: metrics-server from its module",
			images: []image{{metricsImage, "metrics-server", nonRoot}},
		},
		{
			step: stepServer, version: "1", origin: "real: the lab's own HTTP server for tests",
			images: []image{{TestServer, "testserver", nonRoot}},
		},
	}
}

// References are all image references that the bundle's archives hold.
func References() []string {
	var all []string
	for _, archive := range archives() {
		for _, image := range archive.images {
			all = append(all, image.reference)
		}
	}
	return all
}

func (a archive) stepName() string { return a.step + "-image" }

func (a archive) file() string { return a.step + ".tar" }

// build is the step that writes the archive.
func (a archive) build() build.Step {
	return build.Step{
		Name:  a.stepName(),
		Needs: []string{a.step},
		// The format's version: raise it when imagetar writes other bytes for the same inputs.
		Key: func() (string, error) { return build.Digest("imagetar 2", fmt.Sprint(a.images)), nil },
		Run: func(_ context.Context, out string, needs build.Outputs, _ io.Writer) error {
			var images []imagetar.Image
			for _, image := range a.images {
				binary := filepath.Join(needs[a.step].Dir, image.binary)
				images = append(images, imagetar.Image{Reference: image.reference, Binary: binary, User: image.user})
			}
			return imagetar.Write(filepath.Join(out, a.file()), images)
		},
	}
}
