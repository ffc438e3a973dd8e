package images

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"strata/artifacts"
)

const releaseType = "kubernetes:helm.sh/v3:Release"

// testHook marks objects that only `helm test` installs (https://helm.sh/docs/topics/chart_tests/).
const (
	hookAnnotation = "helm.sh/hook"
	testHook       = "test"
)

// release is a Helm release as the program registers it.
type release struct {
	name, namespace string
	artifact        artifacts.Artifact
	// file is the chart's file.
	file       string
	values     map[string]any
	kubernetes string
}

func newRelease(
	inputs map[string]any, files []artifacts.Artifact, project, kubernetes string,
) (*release, error) {
	made := &release{kubernetes: kubernetes}
	made.name, _ = inputs["name"].(string)
	made.namespace, _ = inputs["namespace"].(string)
	made.values, _ = inputs["values"].(map[string]any)
	chart, _ := inputs["chart"].(string)
	i := slices.IndexFunc(files, func(file artifacts.Artifact) bool {
		return file.FileName() == path.Base(chart)
	})
	if i < 0 {
		return nil, fmt.Errorf("its chart %s is no artifact of the stack", chart)
	}
	made.artifact = files[i]
	var err error
	made.file, err = made.artifact.AtHand(project)
	if err == nil && made.file == "" {
		err = fmt.Errorf("its chart %s is not at hand", made.artifact)
	}
	return made, err
}

// objects returns all objects that Helm would install: manifests with their hooks, without tests
// and definitions.
func (r *release) objects() ([]any, error) {
	loaded, err := loader.LoadFile(r.file)
	if err != nil {
		return nil, err
	}
	values := chartutil.Values(r.values)
	if err := chartutil.ProcessDependencies(loaded, values); err != nil {
		return nil, err
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	version, err := chartutil.ParseKubeVersion(r.kubernetes)
	if err != nil {
		return nil, err
	}
	capabilities.KubeVersion = *version
	all, err := chartutil.ToRenderValues(loaded, values, chartutil.ReleaseOptions{
		Name: r.name, Namespace: r.namespace, Revision: 1, IsInstall: true,
	}, capabilities)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	return parseObjects(rendered)
}

// parseObjects returns rendered objects, except test hooks.
func parseObjects(rendered map[string]string) (objects []any, err error) {
	for file, text := range rendered {
		if strings.HasSuffix(file, "NOTES.txt") {
			continue
		}
		for _, document := range releaseutil.SplitManifests(text) {
			var object map[string]any
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			hooks, _, err := unstructured.NestedString(object, "metadata", "annotations",
				hookAnnotation)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if !slices.Contains(strings.Split(hooks, ","), testHook) {
				objects = append(objects, object)
			}
		}
	}
	return objects, nil
}
