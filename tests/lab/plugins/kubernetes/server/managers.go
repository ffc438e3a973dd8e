package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// earlier begin the names of the managers whose fields become ours with an
// update: the POST that created the object and kubectl with its commands
// (fluxcd/pkg/ssa compares by prefix).
var earlier = []string{creator, "pulumi-resource-kubernetes", kubectl, "before-first-apply"}

const kubectl = "kubectl"

func isEarlier(entry metav1.ManagedFieldsEntry) bool {
	begins := func(name string) bool { return strings.HasPrefix(entry.Manager, name) }
	if entry.Operation == metav1.ManagedFieldsOperationApply {
		return begins(kubectl)
	}
	return slices.ContainsFunc(earlier, begins)
}

// takeOver merges the earlier managers' entries into one apply entry of ours, so
// that a field that leaves the inputs also leaves the object.
func (s *Server) takeOver(w write, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	entries, changed, err := mergeManagers(live.GetManagedFields(), w.manager, live.GetAPIVersion())
	if err != nil || !changed {
		return live, err
	}
	client, err := s.cluster.Client(live)
	if err != nil {
		return nil, err
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": entries},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": live.GetResourceVersion()},
	})
	if err != nil {
		return nil, fmt.Errorf("encoding field managers: %w", err)
	}
	return client.Patch(s.ctx, live.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{})
}

func mergeManagers(
	entries []metav1.ManagedFieldsEntry, manager, apiVersion string,
) ([]metav1.ManagedFieldsEntry, bool, error) {
	own, kept, changed := fieldpath.NewSet(), []metav1.ManagedFieldsEntry{}, false
	for _, entry := range entries {
		ours := entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply
		taken := isEarlier(entry)
		if entry.Subresource != "" || entry.FieldsV1 == nil || (!ours && !taken) {
			kept = append(kept, entry)
			continue
		}
		fields := fieldpath.NewSet()
		if err := fields.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return nil, false, fmt.Errorf("reading the fields of manager %q: %w", entry.Manager, err)
		}
		own = own.Union(fields)
		changed = changed || taken
	}
	raw, err := own.ToJSON()
	if err != nil {
		return nil, false, fmt.Errorf("encoding the fields of manager %q: %w", manager, err)
	}
	now := metav1.Now()
	return append(kept, metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: apiVersion,
		Time: &now, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(raw)),
	}), changed, nil
}
