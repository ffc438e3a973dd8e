package catalog

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/crds"
	"strata/tests/lab/internal/gobuild"
)

// crdBundle is a set of CRDs that comes from a Go module.
type crdBundle struct {
	// name is both the artifact's and the step's name.
	name, version, origin string
	// tool is the folder, relative to tests/lab, of the module whose go.mod pins the version.
	// module is the path of the module that has the CRDs.
	tool, module string
	// patterns select the files in the module. The files of one pattern are sorted by name.
	patterns []string
}

// crdBundles returns the sets of CRDs that Strata applies itself. Several charts contain the same
// CRDs, and would conflict.
func crdBundles() []crdBundle {
	return []crdBundle{
		{
			name: "gateway-api-crds", version: gatewayVersion,
			origin: "real: Gateway API's standard channel from its module",
			tool:   "tools/gateway-api", module: "sigs.k8s.io/gateway-api",
			patterns: []string{"config/crd/standard/*.yaml"},
		},
		{
			name: stepTraefikCRDs, version: traefikVersion, origin: "real: Traefik's CRDs from its module",
			tool: "tools/traefik", module: "github.com/traefik/traefik/v3",
			patterns: []string{"docs/content/reference/dynamic-configuration/kubernetes-crd-definition-v1.yml"},
		},
		{
			name: "argocd-crds", version: argocdVersion, origin: "real: Argo CD's CRDs from its module",
			tool: "tools/argocd", module: "github.com/argoproj/argo-cd/v3",
			patterns: []string{"manifests/crds/*-crd.yaml"},
		},
	}
}

// file returns the set's file name: the artifact's name and the version.
func (b crdBundle) file() string {
	return strings.TrimSuffix(b.name, "-crds") + "-v" + b.version + ".yaml"
}

// build returns the step that joins the CRDs into one file.
func (b crdBundle) build(lab string) build.Step {
	tool := filepath.Join(lab, b.tool)
	return build.Step{
		Name: b.name,
		Key: func() (string, error) {
			sum, _, err := build.DigestFile(filepath.Join(tool, "go.sum"))
			return build.Digest(append([]string{"crds 1", b.module, b.version, sum}, b.patterns...)...), err
		},
		Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
			dir, err := moduleAt(ctx, tool, b.module, b.version, log)
			if err != nil {
				return err
			}
			files, err := match(dir, b.patterns)
			if err != nil {
				return err
			}
			return crds.Join(filepath.Join(out, b.file()), files...)
		},
	}
}

// match returns the files below dir that match the patterns. It fails if a pattern matches no file.
func match(dir string, patterns []string) ([]string, error) {
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, fmt.Errorf("pattern %s: %w", pattern, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("the module has no file %s", pattern)
		}
		files = append(files, found...)
	}
	return files, nil
}

// moduleAt returns the source folder of a module. It fails if go.mod does not pin the catalog's
// version.
func moduleAt(ctx context.Context, tool, module, version string, log io.Writer) (string, error) {
	dir, err := gobuild.ModuleDir(ctx, tool, module, log)
	if err != nil {
		return "", err
	}
	if !strings.HasSuffix(dir, "@v"+version) {
		return "", fmt.Errorf("%s pins %s, expected v%s of %s; change the module's version or the catalog",
			tool, filepath.Base(dir), version, module)
	}
	return dir, nil
}
