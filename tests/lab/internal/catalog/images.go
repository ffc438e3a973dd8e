package catalog

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/imagetar"
)

// TestServer is the image of the HTTP server that tests run behind a Service (tools/testserver).
const TestServer = "docker.io/strata/testserver:v1"

// nonRoot is the user id of images that need not run as root. Distroless images use the same id.
const nonRoot = 65532

// archive describes an image tar of the bundle.
type archive struct {
	// step is the step that builds the binary. Optional: without it, the image contains only root.
	step string
	// binary is the file name of the binary in the step's output.
	binary string
	// name is the archive's name. Default: binary.
	name string
	// reference is the full image reference that manifests and charts use.
	reference string
	// root is the step that builds the image's base layer. Optional: without it, the image contains
	// only the binary.
	root string
	// path, links and entrypoint have the meaning of the fields of imagetar.Image.
	path       string
	links      []string
	entrypoint []string
	// user is the numeric user id; 0 is root.
	user            int
	version, origin string
}

// Images that the k3s stand-in deploys, under K3s's references.
const (
	pauseImage   = "docker.io/rancher/mirrored-pause:3.6"
	coreDNSImage = "docker.io/rancher/mirrored-coredns-coredns:" + corednsVersion
	metricsImage = "docker.io/rancher/mirrored-metrics-server:v" + metricsVersion
)

// archives returns all image tars.
func archives() []archive {
	return slices.Concat(clusterArchives(), platformArchives(), apisixArchives(), waveArchives())
}

// clusterArchives returns the images that every cluster runs, the images of MetalLB, and the image
// of cert-wait.
func clusterArchives() []archive {
	const metallb = "real: from MetalLB's module, without FRR"
	return []archive{
		{
			step: stepPause, binary: "pause", reference: pauseImage, user: nonRoot, version: "3.6",
			origin: "stand-in: a Go program that sleeps and reaps, in place of pause",
		},
		{
			step: stepCoreDNS, binary: "coredns", reference: coreDNSImage, user: nonRoot, version: corednsVersion,
			origin: "real: CoreDNS from its module, without the plugins azure, clouddns, dnssec, " +
				"etcd, route53 and trace",
		},
		{
			step: stepMetalLB, binary: "controller", reference: "quay.io/metallb/controller:v" + metallbVersion,
			user: nonRoot, version: metallbVersion, origin: metallb,
		},
		{
			step: stepMetalLB, binary: "speaker", reference: "quay.io/metallb/speaker:v" + metallbVersion,
			// The speaker opens raw sockets for ARP, so it runs as root.
			user: 0, version: metallbVersion, origin: metallb,
		},
		{
			step: stepMetrics, binary: "metrics-server", reference: metricsImage, user: nonRoot,
			version: metricsVersion,
			origin:  "real: metrics-server from its module, with the options that K3s gives it",
		},
		{
			step: stepServer, binary: "testserver", reference: TestServer, user: nonRoot, version: "1",
			origin: "real: the lab's own HTTP server for tests",
		},
		{
			step: stepCertWait, binary: "cert-wait", reference: "docker.io/strata/cert-wait:1.0.0",
			user: nonRoot, version: "1.0.0",
			origin: "real: tools/cert-wait",
		},
	}
}

// References returns the references of all images.
func References() []string {
	var all []string
	for _, archive := range archives() {
		all = append(all, archive.reference)
	}
	return all
}

// chartOf maps the step that builds an image's content to the chart that uses the image. Every
// cluster needs the images without a chart: K3s's own, and TestServer.
var chartOf = map[string]string{
	stepMetalLB: stepChart, stepTraefik: stepTraefikChart, stepCertManager: stepCertManagerChart,
	stepVault:  stepVaultChart,
	stepAPISIX: stepAPISIXChart, stepHTTPBin: stepAPISIXChart, stepGoRest: stepAPISIXChart, // the demo runs behind APISIX
	stepCertWait: stepCertManagerChart, stepArgoCD: stepArgoCDChart, stepRedisRoot: stepArgoCDChart,
	stepWave: stepWaveChart,
}

// chart returns the chart that uses the image; empty if every cluster needs it. chart is a method,
// because all fields of archive are part of the step's key, and the chart does not change the file.
func (a archive) chart() string { return chartOf[cmp.Or(a.step, a.root)] }

func (a archive) stepName() string { return cmp.Or(a.name, a.binary) + "-image" }

func (a archive) file() string { return cmp.Or(a.name, a.binary) + ".tar.zst" }

// build returns the step that writes the archive.
func (a archive) build() build.Step {
	return build.Step{
		Name:  a.stepName(),
		Needs: slices.DeleteFunc([]string{a.step, a.root}, func(step string) bool { return step == "" }),
		// Raise the number when imagetar writes different bytes for the same inputs.
		Key: func() (string, error) { return build.Digest("imagetar 5", fmt.Sprintf("%+v", a)), nil },
		Run: func(_ context.Context, out string, needs build.Outputs, _ io.Writer) error {
			image := imagetar.Image{
				Reference: a.reference, Path: a.path, Links: a.links, Entrypoint: a.entrypoint, User: a.user,
			}
			if a.step != "" {
				image.Binary = filepath.Join(needs[a.step].Dir, a.binary)
			}
			if a.root != "" {
				image.Root = filepath.Join(needs[a.root].Dir, rootFile)
			}
			return image.Write(filepath.Join(out, a.file()))
		},
	}
}
