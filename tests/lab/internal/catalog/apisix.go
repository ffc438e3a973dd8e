package catalog

import (
	"context"
	"io"
	"path/filepath"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/crds"
)

// apisixCRDsFile is the name of the file that has APISIX's CRDs.
const apisixCRDsFile = "apisix-" + apisixControllerVersion + ".yaml"

// apisixCRDsStep returns the step that copies APISIX's CRDs from this repository. The controller
// that defines them is not published as a Go module.
func apisixCRDsStep(lab string) build.Step {
	file := filepath.Join(lab, "crds", "apisix.yaml")
	return build.Step{
		Name: stepAPISIXCRDs,
		Key: func() (string, error) {
			sum, _, err := build.DigestFile(file)
			return sum, err
		},
		Run: func(_ context.Context, out string, _ build.Outputs, _ io.Writer) error {
			return crds.Join(filepath.Join(out, apisixCRDsFile), file)
		},
	}
}

// apisixArchives returns the images of APISIX's controller and gateway, and of the demo that uses
// them.
func apisixArchives() []archive {
	const standIn = "stand-in: keeps the names, ports, statuses, delays and failures of the original; see tools/apisix"
	return []archive{
		{
			step: stepAPISIX, binary: "controller", name: "apisix-ingress-controller",
			reference: "docker.io/apache/apisix-ingress-controller:2.2.0",
			user:      nonRoot, version: "2.2.0", origin: standIn,
		},
		{
			step: stepAPISIX, binary: "controller", name: "adc",
			reference: "ghcr.io/api7/adc:0.27.1", user: nonRoot, version: "0.27.1", origin: standIn,
		},
		{
			step: stepAPISIX, binary: "gateway", name: "apisix", reference: "docker.io/apache/apisix:3.16.0-ubuntu",
			// The chart's preStop hook runs sh -c "sleep 30" in this image.
			path: "/usr/bin/apisix", links: []string{"/bin/sh"}, user: nonRoot, version: "3.16.0", origin: standIn,
		},
		{
			step: stepAPISIX, binary: "keycloak", reference: "quay.io/keycloak/keycloak:26.5.6",
			user: nonRoot, version: "26.5.6", origin: standIn,
		},
		{
			step: stepHTTPBin, binary: "go-httpbin", reference: "ghcr.io/mccutchen/go-httpbin:" + httpbinVersion,
			user: nonRoot, version: httpbinVersion, origin: "real: go-httpbin from its module",
		},
		{
			step: stepGoRest, binary: "go-rest", reference: "docker.io/strata/go-rest:1.0.0",
			user: nonRoot, version: "1.0.0",
			origin: "real: examples/go-rest",
		},
	}
}
