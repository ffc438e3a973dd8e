package fakeapi

import (
	"net/http"
	"slices"
	"strings"
)

// discoverAll answers /apis like an API server: with the aggregated document, or like one older
// than 1.27 with a list of group versions.
func (s *Server) discoverAll(w http.ResponseWriter, script Script) {
	groups, items := []any{}, []any{}
	for _, groupVersion := range s.cluster.groupVersions() {
		group, version, found := strings.Cut(groupVersion, "/")
		if !found || slices.Contains(script.Unknown, groupVersion) ||
			slices.Contains(script.Unlisted, groupVersion) {
			continue
		}
		resources := []any{}
		kinds, _ := s.cluster.served(groupVersion)
		for kind, r := range kinds {
			resources = append(resources,
				map[string]any{"resource": r.Plural, "responseKind": map[string]any{"kind": kind}})
		}
		// Each version is an item of its own, so a group with several versions appears several
		// times, which clients accept.
		groups = append(groups,
			map[string]any{"name": group,
				"versions": []any{map[string]any{"groupVersion": groupVersion,
					"version": version}}})
		items = append(items,
			map[string]any{"metadata": map[string]any{"name": group},
				"versions": []any{map[string]any{"version": version, "resources": resources}}})
	}
	if script.Unaggregated {
		answer(w, http.StatusOK, map[string]any{"kind": "APIGroupList", "apiVersion": "v1",
			"groups": groups})
		return
	}
	answer(w, http.StatusOK,
		map[string]any{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
			"items": items})
}

// groupVersions returns all group versions that the cluster serves.
func (c *Cluster) groupVersions() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for groupVersion := range c.kinds {
		all = append(all, groupVersion)
	}
	slices.Sort(all)
	return all
}
