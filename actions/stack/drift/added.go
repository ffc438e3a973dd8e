package drift

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// keeping are the field managers of the kubectl commands whose additions stay: a restart, labels
// and annotations, and the number of replicas.
var keeping = []string{"kubectl-rollout", "kubectl-label", "kubectl-annotate", "kubectl-scale",
	"kubectl-autoscale"}

// addedBy reports whether an entry of an object's managed fields has what a person added by kubectl
// since the stack owns the object. Flux reverts the fields of the same managers
// (https://fluxcd.io/flux/faq, "Why are kubectl edits rolled back by Flux?").
func (w *wanted) addedBy(entry metav1.ManagedFieldsEntry) bool {
	return entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == "" &&
		strings.HasPrefix(entry.Manager, "kubectl-") && !slices.Contains(keeping, entry.Manager) &&
		entry.APIVersion == w.object.GetAPIVersion() && entry.Time != nil && w.created != nil &&
		entry.Time.After(*w.created)
}

// findAdded returns the paths below spec that only kubectl owns, and by which managers. A
// server-side apply of the wanted object does not remove them.
func (w *wanted) findAdded(object *unstructured.Unstructured) (paths, managers []string) {
	if !slices.ContainsFunc(object.GetManagedFields(), w.addedBy) {
		return nil, nil
	}
	added, others := &fieldpath.Set{}, &fieldpath.Set{}
	for _, entry := range object.GetManagedFields() {
		specified, _ := splitFields(entry)
		if !w.addedBy(entry) {
			others = others.Union(specified)
			continue
		}
		added = added.Union(specified)
		managers = append(managers, entry.Manager+lastChange(entry.Manager,
			object.GetManagedFields()))
	}
	added.Difference(others).Leaves().Iterate(func(path fieldpath.Path) {
		paths = append(paths, strings.TrimPrefix(path.String(), "."))
	})
	return paths, managers
}

// splitFields returns the fields of an entry that are below spec, and the others.
func splitFields(entry metav1.ManagedFieldsEntry) (specified, others *fieldpath.Set) {
	all, specified, others := &fieldpath.Set{}, &fieldpath.Set{}, &fieldpath.Set{}
	if entry.FieldsV1 == nil || all.FromJSON(entry.FieldsV1.GetRawReader()) != nil {
		return specified, others
	}
	all.Iterate(func(path fieldpath.Path) {
		if name := path[0].FieldName; len(path) > 1 && name != nil && *name == "spec" {
			specified.Insert(path.Copy())
		} else {
			others.Insert(path.Copy())
		}
	})
	return specified, others
}

// takeOver gives the fields that were added by kubectl to the field manager of the wanted object,
// so that its next apply removes them. Client-go's csaupgrade does the same with all fields of a
// manager, and would take labels and annotations as well.
func (w *wanted) takeOver(ctx context.Context, client dynamic.ResourceInterface) error {
	live, err := client.Get(ctx, w.object.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	ours := metav1.ManagedFieldsEntry{Manager: w.manager, FieldsType: "FieldsV1",
		Operation:  metav1.ManagedFieldsOperationApply,
		APIVersion: w.object.GetAPIVersion(), Time: &metav1.Time{Time: time.Now()}}
	owned := &fieldpath.Set{}
	var entries []metav1.ManagedFieldsEntry
	for _, entry := range live.GetManagedFields() {
		specified, others := splitFields(entry)
		switch {
		case w.addedBy(entry):
			owned = owned.Union(specified)
			if entry.FieldsV1, err = fieldsOf(others); err != nil {
				return err
			}
			entries = append(entries, entry)
		case entry.Manager == ours.Manager && entry.Operation == ours.Operation &&
			entry.APIVersion == ours.APIVersion && entry.Subresource == "":
			owned = owned.Union(specified).Union(others)
		default:
			entries = append(entries, entry)
		}
	}
	if ours.FieldsV1, err = fieldsOf(owned); err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": live.GetResourceVersion(), "managedFields": append(entries, ours)}})
	if err == nil {
		_, err = client.Patch(ctx, w.object.GetName(), types.MergePatchType, patch,
			metav1.PatchOptions{FieldManager: Manager})
	}
	return err
}

func fieldsOf(set *fieldpath.Set) (*metav1.FieldsV1, error) {
	raw, err := set.ToJSON()
	if err != nil {
		return nil, fmt.Errorf("managed fields: %w", err)
	}
	return metav1.NewFieldsV1(string(raw)), nil
}
