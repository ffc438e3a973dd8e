package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/mod/semver"
)

// advisories are published vulnerabilities of Go modules, with the first fixed version. They are
// checked here without a network. govulncheck finds more, but needs its database.
var advisories = []struct{ id, module, mended string }{
	{"GHSA-hrxh-6v49-42gf", "google.golang.org/grpc", "v1.82.1"},
	{"CVE-2026-84445", "google.golang.org/grpc", "v1.83.2"},
	{"GHSA-259r-337f-4rfw", "github.com/klauspost/compress", "v1.18.7"},
	{"CVE-2026-35469", "github.com/moby/spdystream", "v0.5.1"},
	{"CVE-2026-34986", "github.com/go-jose/go-jose/v4", "v4.1.4"},
	{"CVE-2026-41178", "go.opentelemetry.io/otel", "v1.44.0"},
	{"CVE-2026-46600", "golang.org/x/net", "v0.56.0"},
	{"CVE-2026-56852", "golang.org/x/text", "v0.39.0"},
	// CVE-2026-35206 affects `helm pull --untar` of helm.sh/helm/v3 before v3.20.2. This repository
	// never runs it: charts are files with a locked checksum, and are only rendered. Helm 3.20
	// requires the modules of Kubernetes 1.35.
	{"the newest of 3.19", "helm.sh/helm/v3", "v3.19.5"},
}

// published are the modules whose programs users get. TestCommandsUseTheSameModuleVersions requires
// the same versions in the modules of tests.
var published = []string{".", "tools/bundle", "tools/cert-wait", "tools/load", "examples/go-rest"}

func TestPublishedModulesHaveNoKnownVulnerabilities(t *testing.T) {
	checked := map[string]bool{}
	for _, folder := range published {
		versions := requirements(t, "../../../../"+folder)
		for _, known := range advisories {
			if version, ok := versions[known.module]; ok {
				checked[known.id] = true
				assert.GreaterOrEqual(
					t,
					semver.Compare(version, known.mended),
					0,
					"%s: %s %s has %s; raise it to %s",
					folder,
					known.module,
					version,
					known.id,
					known.mended,
				)
			}
		}
	}
	for _, known := range advisories {
		assert.True(t, checked[known.id], "%s is of a module that nothing asks for", known.id)
	}
}
