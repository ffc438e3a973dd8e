package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"strata/internal/kube/apiserver"
)

// tried is the field manager of the server-side apply that findConflicts runs as a dry run.
const tried = "strata-adopt"

// handOver moves the fields that the provider has applied to the field manager of its create, and
// removes the fields in free. The provider applies without force, with a random field manager for
// each resource, and takes over only the fields of its create (pulumi-kubernetes
// provider/pkg/await/await.go, fixCSAFieldManagers). Fields with the manager of a former resource
// would conflict with every later change.
func handOver(
	ctx context.Context, client dynamic.ResourceInterface, live *unstructured.Unstructured,
	free *fieldpath.Set,
) error {
	managed, changed, err := handedOver(live.GetManagedFields(), free)
	if err != nil || !changed {
		return err
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "add", "path": "/metadata/managedFields", "value": managed},
		{"op": "add", "path": "/metadata/resourceVersion", "value": live.GetResourceVersion()},
	})
	if err != nil {
		return err
	}
	_, err = client.Patch(ctx, live.GetName(), types.JSONPatchType, patch,
		metav1.PatchOptions{FieldManager: manager})
	return err
}

// handedOver returns managedFields after the change: the provider's fields have the field manager
// of its create, without the fields in free. changed is false if nothing differs.
func handedOver(
	entries []metav1.ManagedFieldsEntry, free *fieldpath.Set,
) (managed []metav1.ManagedFieldsEntry, changed bool, err error) {
	own := map[string]*fieldpath.Set{} // by apiVersion
	for _, entry := range entries {
		if !isOwn(entry) {
			managed = append(managed, entry)
			continue
		}
		fields, err := fieldsOf(entry)
		if err != nil {
			return nil, false, err
		}
		kept := fields.Difference(free)
		changed = changed || entry.Manager != manager ||
			entry.Operation != metav1.ManagedFieldsOperationUpdate || !kept.Equals(fields)
		if before, known := own[entry.APIVersion]; known {
			own[entry.APIVersion] = before.Union(kept)
			continue
		}
		own[entry.APIVersion] = kept
		entry.Manager, entry.Operation = manager, metav1.ManagedFieldsOperationUpdate
		managed = append(managed, entry)
	}
	for i := range managed {
		if entry := &managed[i]; isOwn(*entry) {
			text, err := own[entry.APIVersion].ToJSON()
			if err != nil {
				return nil, false, err
			}
			entry.FieldsV1 = metav1.NewFieldsV1(string(text))
		}
	}
	return managed, changed, nil
}

// findConflicts returns the fields for which the provider's apply would conflict with its own
// earlier field manager, although they have the wanted values. An atomic list counts as one value,
// so defaults that the API server adds make it differ (parentRefs of an HTTPRoute, certificateRefs
// of a Gateway). wanted is the object as JSON. Any other failure of the dry run is ignored, because
// the create reports it.
func findConflicts(
	ctx context.Context, client dynamic.ResourceInterface, wanted []byte,
	live *unstructured.Unstructured,
) (*fieldpath.Set, error) {
	free := fieldpath.NewSet()
	_, err := client.Patch(ctx, live.GetName(), types.ApplyPatchType, wanted,
		metav1.PatchOptions{FieldManager: tried, DryRun: []string{metav1.DryRunAll}})
	if !apierrors.IsConflict(err) {
		return free, nil
	}
	named := map[string]bool{}
	for _, cause := range apiserver.Causes(err) {
		named[cause.Field] = true
	}
	for _, entry := range live.GetManagedFields() {
		fields, err := fieldsOf(entry)
		if err != nil {
			return nil, err
		}
		fields.Iterate(func(path fieldpath.Path) {
			if named[path.String()] {
				free.Insert(path.Copy())
			}
		})
	}
	return free, nil
}

// isOurs reports whether a field manager's name is one of those that Pulumi's kubernetes provider
// uses.
func isOurs(name string) bool { return name == manager || strings.HasPrefix(name, manager+"-") }

// isOwn reports whether a managedFields entry belongs to the provider and covers the object itself,
// not a subresource.
func isOwn(entry metav1.ManagedFieldsEntry) bool {
	return isOurs(entry.Manager) && entry.Subresource == ""
}

func fieldsOf(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	fields := fieldpath.NewSet()
	if entry.FieldsV1 == nil {
		return fields, nil
	}
	if err := fields.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return nil, fmt.Errorf("fields of manager %s: %w", entry.Manager, err)
	}
	return fields, nil
}
