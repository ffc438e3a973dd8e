package adopt

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func entry(
	manager string, operation metav1.ManagedFieldsOperationType, version, subresource,
	fields string,
) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: operation, APIVersion: version, Subresource: subresource,
		FieldsV1: metav1.NewFieldsV1(fields),
	}
}

const apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate

func TestManagedFieldsMoveToCreatorsFieldManager(t *testing.T) {
	entries := []metav1.ManagedFieldsEntry{
		entry("pulumi-kubernetes-1", apply, "v1", "", `{"f:spec":{"f:a":{},"f:parents":{}}}`),
		entry("traefik", update, "v1", "status", `{"f:status":{"f:ready":{}}}`),
		entry("pulumi-kubernetes-2", apply, "v1", "", `{"f:spec":{"f:b":{},"f:parents":{}}}`),
		entry("pulumi-kubernetes-1", apply, "v1beta1", "", `{"f:spec":{"f:c":{}}}`),
		entry("kubectl-edit", update, "v1", "", `{"f:spec":{"f:parents":{}}}`),
		entry("pulumi-kubernetesque", update, "v1", "", `{"f:spec":{"f:d":{}}}`),
	}
	free := fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "parents"))
	managed, changed, err := handedOver(entries, free)
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Equal(t, []metav1.ManagedFieldsEntry{
		entry("pulumi-kubernetes", update, "v1", "", `{"f:spec":{"f:a":{},"f:b":{}}}`),
		entries[1],
		entry("pulumi-kubernetes", update, "v1beta1", "", `{"f:spec":{"f:c":{}}}`),
		entries[4], entries[5],
	}, managed, "another manager's fields stay a conflict")

	again, changed, err := handedOver(managed, free)
	require.NoError(t, err)
	assert.False(t, changed, "nothing is left to hand over")
	assert.Equal(t, managed, again)
}

func TestUnreadableManagedFieldsAreAnError(t *testing.T) {
	_, _, err := handedOver([]metav1.ManagedFieldsEntry{entry("pulumi-kubernetes-1", apply, "v1",
		"", `{"x":1}`)}, fieldpath.NewSet())
	require.ErrorContains(t, err, "fields of manager pulumi-kubernetes-1")
}
