package release

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// record takes over what Helm says of the release.
func (r *Release) record(result *release.Release) error {
	if r.Name == "" {
		r.Name, r.Namespace = result.Name, result.Namespace
	}
	if r.Chart == "" {
		r.Chart = result.Chart.Metadata.Name
	}
	if len(result.Config) > 0 {
		r.Values = result.Config
	}
	r.Version = result.Chart.Metadata.Version
	names, err := resourceNames(result.Manifest)
	if err != nil {
		return err
	}
	r.ResourceNames = names
	revision := result.Version
	r.Status = &Status{
		Name: result.Name, Namespace: result.Namespace, Revision: &revision,
		Status: result.Info.Status.String(), Chart: result.Chart.Metadata.Name,
		Version: result.Chart.Metadata.Version, AppVersion: result.Chart.Metadata.AppVersion,
	}
	return nil
}

// resourceNames lists a manifest's objects as NAMESPACE/NAME by "Kind/version".
func resourceNames(manifest string) (map[string][]string, error) {
	names := map[string][]string{}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifest), 4096)
	for {
		var obj unstructured.Unstructured
		err := decoder.Decode(&obj.Object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading the release's manifest: %w", err)
		}
		if len(obj.Object) == 0 {
			continue
		}
		kind := obj.GetKind() + "/" + obj.GetAPIVersion()
		if group := obj.GroupVersionKind().Group; group != "" {
			kind = obj.GetKind() + "." + group + "/" + obj.GetAPIVersion()
		}
		name := obj.GetName()
		if obj.GetNamespace() != "" {
			name = obj.GetNamespace() + "/" + name
		}
		names[kind] = append(names[kind], name)
	}
	for _, list := range names {
		sort.Strings(list)
	}
	return names, nil
}
