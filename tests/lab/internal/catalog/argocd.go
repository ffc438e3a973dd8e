package catalog

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/chart"
)

// argocdFile is the file name of Argo CD's packaged chart.
const argocdFile = "argo-cd-" + argocdChartVersion + ".tgz"

// argocdManifests are the paths of manifests in Argo CD's module, by component. The lab's chart
// copies the parts that change with Argo CD's version: the environment variables, which read the
// settings, and the RBAC rules.
var argocdManifests = map[string]struct{ workload, role, clusterRole string }{
	"server": {
		"base/server/argocd-server-deployment.yaml", "base/server/argocd-server-role.yaml",
		"cluster-rbac/server/argocd-server-clusterrole.yaml",
	},
	// The repo-server does not use the Kubernetes API, so it has no role.
	"repo-server": {workload: "base/repo-server/argocd-repo-server-deployment.yaml"},
	"application-controller": {
		"base/application-controller/argocd-application-controller-statefulset.yaml",
		"base/application-controller-roles/argocd-application-controller-role.yaml",
		"cluster-rbac/application-controller/argocd-application-controller-clusterrole.yaml",
	},
	"applicationset-controller": {
		workload: "base/applicationset-controller/argocd-applicationset-controller-deployment.yaml",
		role:     "base/applicationset-controller/argocd-applicationset-controller-role.yaml",
	},
}

// argocdStep returns the step that packages the lab's own chart of Argo CD.
func argocdStep(lab string) build.Step {
	tool := filepath.Join(lab, commands()[stepArgoCD].Module)
	own := filepath.Join(lab, "charts", "argo-cd")
	return build.Step{
		Name: stepArgoCDChart,
		Key: func() (string, error) {
			sum, _, err := build.DigestFile(filepath.Join(tool, "go.sum"))
			if err != nil {
				return "", err
			}
			tree, err := build.DigestTree(own)
			return build.Digest("argo-cd chart 1", argocdVersion, argocdChartVersion, sum, tree), err
		},
		Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
			dir, err := moduleAt(ctx, tool, "github.com/argoproj/argo-cd/v3", argocdVersion, log)
			if err != nil {
				return err
			}
			files := chart.Files{}
			if err := files.Add(own); err != nil {
				return err
			}
			if err := argocdFiles(files, filepath.Join(dir, "manifests")); err != nil {
				return err
			}
			return files.Package(argocdChartVersion, filepath.Join(out, argocdFile))
		},
	}
}

// argocdFiles adds the parts of Argo CD's manifests that the chart's templates use to files, below
// files/.
func argocdFiles(files chart.Files, manifests string) error {
	crds, err := match(manifests, []string{"crds/*-crd.yaml"})
	if err != nil {
		return err
	}
	for _, path := range crds {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading the CRDs: %w", err)
		}
		files["files/crds/"+filepath.Base(path)] = string(text)
	}
	take := func(target, manifest string, path ...any) {
		if err == nil && manifest != "" {
			files[target], err = excerpt(filepath.Join(manifests, filepath.FromSlash(manifest)), path...)
		}
	}
	for name, from := range argocdManifests {
		take("files/env/"+name+".yaml", from.workload, "spec", "template", "spec", "containers", 0, "env")
		take("files/rules/"+name+".yaml", from.role, "rules")
		take("files/cluster-rules/"+name+".yaml", from.clusterRole, "rules")
	}
	take("files/cm.yaml", "base/config/argocd-cm.yaml", "data")
	take("files/known_hosts", "base/config/argocd-ssh-known-hosts-cm.yaml", "data", "ssh_known_hosts")
	return err
}

// excerpt returns the value at a path of keys and indexes in a manifest. It returns a string
// unchanged, and any other value as YAML.
func excerpt(manifest string, path ...any) (string, error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return "", fmt.Errorf("reading a manifest: %w", err)
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return "", fmt.Errorf("reading %s: %w", manifest, err)
	}
	for _, step := range path {
		object, _ := value.(map[string]any)
		list, _ := value.([]any)
		index, isIndex := step.(int)
		key, _ := step.(string)
		if value = object[key]; isIndex && index < len(list) {
			value = list[index]
		}
		if value == nil {
			return "", fmt.Errorf("%s has nothing at %v of %v", manifest, step, path)
		}
	}
	if text, ok := value.(string); ok {
		return text, nil
	}
	part, err := yaml.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("taking a part of %s: %w", manifest, err)
	}
	return string(part), nil
}
