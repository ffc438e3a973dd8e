package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	discoveryv2 "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// discoveryLimit limits a discovery document, in bytes. A cluster with hundreds of kinds has
	// less than 1 MiB.
	discoveryLimit = 16 << 20
	// aggregatedDiscovery requests one document about every group, as every client since Kubernetes
	// 1.27 does (k8s.io/client-go/discovery). A server that does not know this format returns the
	// list of groups.
	aggregatedDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
)

// ServedResource identifies a resource in one version of an API group.
type ServedResource struct{ Group, Version, Plural string }

func (r ServedResource) groupVersion() string { return r.Group + "/" + r.Version }

// String returns the resource as messages name it: group/version plural.
func (r ServedResource) String() string { return r.groupVersion() + " " + r.Plural }

// Absent returns the wanted resources that the API server does not serve (yet); nil if it serves
// all. It reads each version's own list first, then the aggregated discovery document, which the
// server updates later. Helm, kubectl and Pulumi read that document, and fail with "no matches for
// kind" until it has the resource.
func (s *APIServer) Absent(ctx context.Context, wanted []ServedResource) ([]string, error) {
	versions := map[string][]string{}
	var missing []string
	for _, r := range wanted {
		if _, asked := versions[r.groupVersion()]; !asked {
			names, err := s.resourcesOf(ctx, r.groupVersion())
			if err != nil {
				return nil, err
			}
			versions[r.groupVersion()] = names
		}
		if !slices.Contains(versions[r.groupVersion()], r.Plural) {
			missing = append(missing, r.String())
		}
	}
	if len(missing) > 0 {
		return missing, nil
	}
	return s.findMissing(ctx, wanted)
}

// findMissing returns the wanted resources that the aggregated discovery document lacks.
func (s *APIServer) findMissing(ctx context.Context, wanted []ServedResource) ([]string, error) {
	every, err := s.discover(ctx)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, r := range wanted {
		if !every(r) {
			missing = append(missing, r.String())
		}
	}
	return missing, nil
}

// resourcesOf returns the resources that an API server lists for one group and version. It returns
// none if the server does not know the version.
func (s *APIServer) resourcesOf(ctx context.Context, groupVersion string) ([]string, error) {
	var served metav1.APIResourceList
	found, err := s.GetJSON(ctx, "/apis/"+groupVersion, "", &served)
	if err != nil || !found {
		return nil, err
	}
	var names []string
	for i := range served.APIResources {
		names = append(names, served.APIResources[i].Name)
	}
	return names, nil
}

// discover reads the aggregated discovery document. It returns a function that reports whether the
// document has a resource.
func (s *APIServer) discover(ctx context.Context) (func(ServedResource) bool, error) {
	var answer json.RawMessage
	if _, err := s.GetJSON(ctx, "/apis", aggregatedDiscovery, &answer); err != nil {
		return nil, err
	}
	var kind metav1.TypeMeta
	var all discoveryv2.APIGroupDiscoveryList
	var groups metav1.APIGroupList
	if err := json.Unmarshal(answer, &kind); err != nil {
		return nil, fmt.Errorf("GET /apis: %w", err)
	}
	var err error
	if kind.Kind == "APIGroupDiscoveryList" {
		err = json.Unmarshal(answer, &all)
	} else {
		err = json.Unmarshal(answer, &groups)
	}
	if err != nil {
		return nil, fmt.Errorf("GET /apis: %w", err)
	}
	return func(r ServedResource) bool { return hasResource(all, r) || listedVersion(groups, r) }, nil
}

func hasResource(all discoveryv2.APIGroupDiscoveryList, r ServedResource) bool {
	for i := range all.Items {
		for _, version := range all.Items[i].Versions {
			if all.Items[i].Name == r.Group && version.Version == r.Version {
				return slices.ContainsFunc(version.Resources,
					func(d discoveryv2.APIResourceDiscovery) bool { return d.Resource == r.Plural })
			}
		}
	}
	return false
}

func listedVersion(all metav1.APIGroupList, r ServedResource) bool {
	for i := range all.Groups {
		for _, version := range all.Groups[i].Versions {
			if version.GroupVersion == r.groupVersion() {
				return true
			}
		}
	}
	return false
}

// GetJSON decodes the JSON document at path into a value; found is false on 404.
func (s *APIServer) GetJSON(ctx context.Context, path, accept string, into any) (found bool,
	err error) {
	code, body, err := s.GetAs(ctx, path, accept, discoveryLimit)
	switch {
	case err != nil:
		return false, err
	case code == http.StatusNotFound:
		return false, nil
	case code != http.StatusOK:
		return false, apierrors.NewServiceUnavailable(fmt.Sprintf("GET %s: %d: %s", path, code,
			strings.TrimSpace(body)))
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		return false, fmt.Errorf("GET %s: %w", path, err)
	}
	return true, nil
}
