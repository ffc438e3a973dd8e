package drift

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
)

// edited is the object one, to whose spec the entry of manager has added fields.
func edited(manager, operation, at, fields string) string {
	return `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: apps,
		resourceVersion: "7", annotations: {theirs: a}, managedFields: [
		{manager: helm, operation: Update, apiVersion: apps/v1, time: "2026-11-28T15:00:00Z",
			fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:replicas": {}, "f:selector": {}}}},
		{manager: ` + manager + `, operation: ` + operation + `, apiVersion: apps/v1, time: "` + at + `",
			fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:annotations": {"f:theirs": {}}},
			"f:spec": {"f:replicas": {}, ` + fields + `}}}]}, spec: {replicas: 1, paused: true}}`
}

func TestFieldsThatPersonAddedAreFound(t *testing.T) {
	const after, before = "2026-11-28T17:00:00Z", "2026-11-28T15:30:00Z"
	made := time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC)
	nested := `"f:strategy": {".": {}, "f:type": {}}, "f:paused": {}`
	for name, test := range map[string]struct{ live, says string }{
		"by kubectl": {edited("kubectl-patch", "Update", after, nested), "Deployment/apps/web: " +
			"changed spec.paused, spec.strategy.type (by kubectl-patch at 2026-11-28T17:00:00Z)"},
		"by a controller":         {edited("kube-controller-manager", "Update", after, nested), ""},
		"by a restart":            {edited("kubectl-rollout", "Update", after, nested), ""},
		"by another apply":        {edited("kubectl", "Apply", after, nested), ""},
		"before the stack's":      {edited("kubectl-edit", "Update", before, nested), ""},
		"which helm sets as well": {edited("kubectl-edit", "Update", after, `"f:selector": {}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.live)
			want := wantedOf(t, one)
			want.created = &made
			found, err := w.compare(t.Context(), want)
			require.NoError(t, err)
			assert.NotContains(t, w.dry, false)
			if test.says == "" {
				assert.Nil(t, found)
				return
			}
			require.NotNil(t, found)
			assert.Equal(t, test.says, found.String())
		})
	}
}

// A server-side apply removes a field only if its manager is the only one that owns it.
func TestAddedFieldsMoveToManagerThatAppliesNext(t *testing.T) {
	w := newWorld(t, edited("kubectl-patch", "Update", "2026-11-28T17:00:00Z", `"f:paused": {}`))
	want := wantedOf(t, one)
	want.created = &time.Time{}
	require.NoError(t, w.putBack(t.Context(), want, true))
	var patches []clienttesting.PatchAction
	for _, action := range w.objects.Actions() {
		if patch, ok := action.(clienttesting.PatchAction); ok {
			patches = append(patches, patch)
		}
	}
	require.Len(t, patches, 2)
	assert.Equal(t, types.ApplyPatchType, patches[1].GetPatchType())
	var patch struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	require.NoError(t, json.Unmarshal(patches[0].GetPatch(), &patch))
	assert.Equal(t, "7", patch.Metadata.ResourceVersion, "a change in between is a conflict")
	fields := map[string]string{}
	for _, entry := range patch.Metadata.ManagedFields {
		fields[entry.Manager+" "+string(entry.Operation)] = entry.FieldsV1.GetRawString()
	}
	assert.Equal(t, map[string]string{
		"helm Update":          `{"f:spec":{"f:replicas":{},"f:selector":{}}}`,
		"kubectl-patch Update": `{"f:metadata":{"f:annotations":{"f:theirs":{}}}}`,
		"strata-drift Apply":   `{"f:spec":{"f:paused":{},"f:replicas":{}}}`,
	}, fields)
}
