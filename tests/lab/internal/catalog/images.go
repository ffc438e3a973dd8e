package catalog

import (
	"cmp"
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

// archive is one image tar of the bundle: a binary of a step's output, and how it runs.
type archive struct {
	step string
	// binary is a file of the step's output.
	binary string
	// name is the archive's. Optional: the default is the binary's.
	name string
	// reference is what manifests and charts ask for.
	reference string
	user      int
	version   string
	origin    string
}

// The images that the k3s stand-in deploys, named as K3s names them.
const (
	pauseImage   = "docker.io/rancher/mirrored-pause:3.6"
	coreDNSImage = "docker.io/rancher/mirrored-coredns-coredns:" + corednsVersion
	metricsImage = "docker.io/rancher/mirrored-metrics-server:v" + metricsVersion
)

// archives are the image tars.
func archives() []archive {
	const metallb = "real: from MetalLB's module, without FRR"
	list := []archive{
		{stepPause, "pause", "", pauseImage, nonRoot, "3.6", "stand-in: a Go program that sleeps and reaps, in place of pause"},
		{stepCoreDNS, "coredns", "", coreDNSImage, nonRoot, corednsVersion, "real: CoreDNS from its module"},
		{stepMetalLB, "controller", "", "quay.io/metallb/controller:v" + metallbVersion, nonRoot, metallbVersion, metallb},
		// The speaker opens raw sockets for ARP.
		{stepMetalLB, "speaker", "", "quay.io/metallb/speaker:v" + metallbVersion, 0, metallbVersion, metallb},
		{stepMetrics, "metrics-server", "", metricsImage, nonRoot, metricsVersion, "real: metrics-server from its module"},
		{stepServer, "testserver", "", TestServer, nonRoot, "1", "real: the lab's own HTTP server for tests"},
	}
	list = append(list, archive{stepTraefik, "traefik", "", "docker.io/traefik:v" + traefikVersion, nonRoot, traefikVersion, "real: from Traefik's module"})
	for _, binary := range []string{"controller", "webhook", "cainjector"} {
		name := "cert-manager-" + binary
		reference := "quay.io/jetstack/" + name + ":v" + certManagerVersion
		list = append(list, archive{stepCertManager, binary, name, reference, nonRoot, certManagerVersion, "real: from cert-manager's module"})
	}
	return list
}

// References are all image references that the bundle's archives hold.
func References() []string {
	var all []string
	for _, archive := range archives() {
		all = append(all, archive.reference)
	}
	return all
}

func (a archive) stepName() string { return cmp.Or(a.name, a.binary) + "-image" }

func (a archive) file() string { return cmp.Or(a.name, a.binary) + ".tar" }

// build is the step that writes the archive.
func (a archive) build() build.Step {
	return build.Step{
		Name:  a.stepName(),
		Needs: []string{a.step},
		// The format's version: raise it when imagetar writes other bytes for the same inputs.
		Key: func() (string, error) {
			return build.Digest("imagetar 3", a.reference, a.binary, fmt.Sprint(a.user)), nil
		},
		Run: func(_ context.Context, out string, needs build.Outputs, _ io.Writer) error {
			image := imagetar.Image{Reference: a.reference, Binary: filepath.Join(needs[a.step].Dir, a.binary), User: a.user}
			return image.Write(filepath.Join(out, a.file()))
		},
	}
}
