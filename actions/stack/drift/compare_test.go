package drift

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	fakediscovery "k8s.io/client-go/discovery/fake"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/internal/kube/apiserver"
)

// world is a cluster whose API server answers an apply with an object or an error. Without force,
// it answers with conflict if that is set.
type world struct {
	*cluster
	objects  *fakedynamic.FakeDynamicClient
	applied  string
	refused  error
	conflict error
	// dry has, for each apply, whether it was a dry run.
	dry []bool
}

func newWorld(t *testing.T, live string, others ...runtime.Object) *world {
	t.Helper()
	kube := fake.NewClientset(others...)
	kube.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{
			{Name: "deployments", Kind: "Deployment", Namespaced: true}}},
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "secrets", Kind: "Secret", Namespaced: true},
			{Name: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true},
			{Name: "configmaps", Kind: "ConfigMap", Namespaced: true}}},
	}
	w := &world{applied: live}
	var there []runtime.Object
	if live != "" {
		there = append(there, objectOf(t, live))
	}
	w.objects = fakedynamic.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{
			{Group: "apps", Version: "v1", Resource: "deployments"}: "DeploymentList"}, there...)
	w.objects.PrependReactor("patch", "*",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			options := action.(clienttesting.PatchActionImpl).PatchOptions
			w.dry = append(w.dry, len(options.DryRun) > 0)
			if options.Force != nil && !*options.Force && w.conflict != nil {
				return true, nil, w.conflict
			}
			return true, objectOf(t, w.applied), w.refused
		})
	w.cluster = &cluster{apiserver.NewKinds(w.objects, kube.Discovery()), kube}
	return w
}

func objectOf(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	return &unstructured.Unstructured{Object: parse(t, text).(map[string]any)}
}

const (
	deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: apps}, `
	one        = deployment + `spec: {replicas: 1}}`
	none       = deployment + `spec: {replicas: 0}}`
)

func wantedOf(t *testing.T, text string) *wanted {
	t.Helper()
	object, err := newWanted("d-release", "apps", Manager, parse(t, text).(map[string]any))
	require.NoError(t, err)
	return &object
}

const leaving = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: apps, ` +
	`deletionTimestamp: "2026-11-28T16:00:00Z", finalizers: [a]}, spec: {replicas: 0}}`

func conflictWith(message string) error {
	return apierrors.NewApplyConflict([]metav1.StatusCause{{Field: ".spec.replicas",
		Type: metav1.CauseTypeFieldManagerConflict, Message: message}}, "")
}

var scaler = &autoscalingv2.HorizontalPodAutoscaler{
	ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "apps"},
	Spec: autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: autoscalingv2.
		CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}},
}

// verdictCases has, for each difference says, the object in the cluster (live), the object of the
// last update (wanted), and the result of an apply of wanted (applied, default live).
var verdictCases = map[string]struct {
	live, applied, wanted string
	refused, conflict     error
	others                []runtime.Object
	says                  string
	fails                 bool
}{
	"unchanged": {live: one, wanted: one},
	"missing":   {wanted: one, says: "Deployment/apps/web: missing"},
	"of a kind that is not served": {wanted: `{apiVersion: a/v1, kind: A, metadata: {name: a}}`,
		says: "A/a: missing"},
	"scaled by hand": {live: none, applied: one, wanted: one,
		says: "Deployment/apps/web: changed spec.replicas"},
	"changed by a person": {live: none, applied: one, wanted: one,
		conflict: conflictWith(`conflict with "kubectl-edit" using apps/v1`),
		says:     "Deployment/apps/web: changed spec.replicas (by kubectl-edit)"},
	"changed without a field manager": {live: none, applied: one, wanted: one,
		conflict: conflictWith(`conflict with "pulumi-resource-kubernetes" using apps/v1`),
		says:     "Deployment/apps/web: changed spec.replicas"},
	"taken over by another apply": {live: none, applied: one, wanted: one,
		conflict: conflictWith(`conflict with "flux"`),
		says: "Deployment/apps/web: changed spec.replicas (by flux); left as it is: flux has taken " +
			"the fields over by server-side apply; strata:drift.ignore accepts that"},
	"scaled by an autoscaler": {live: none, wanted: one, others: []runtime.Object{scaler}},
	"being deleted": {live: leaving, applied: one, wanted: one,
		says: "Deployment/apps/web: changed (is being deleted since 16:00:00); " +
			"left as it is: run up again when it is gone"},
	"changed in an immutable field": {live: none, wanted: one,
		refused: apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "web",
			field.ErrorList{field.Invalid(field.NewPath("spec", "selector"), "a secret", "no")}),
		says: "Deployment/apps/web: changed spec.selector (the API server refuses its former " +
			"content); left as it is: delete it, and the next up makes it anew"},
	"not comparable": {live: none, wanted: one,
		refused: errors.New("failed calling webhook"), fails: true},
}

func TestComparisonReportsWhatChangedInObject(t *testing.T) {
	for name, test := range verdictCases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.live, test.others...)
			if test.applied != "" {
				w.applied = test.applied
			}
			w.refused, w.conflict = test.refused, test.conflict
			found, err := w.compare(t.Context(), wantedOf(t, test.wanted))
			assert.NotContains(t, w.dry, false, "a comparison changes nothing")
			if test.fails {
				require.ErrorContains(t, err, "Deployment/apps/web: failed calling webhook")
				return
			}
			require.NoError(t, err)
			if test.says == "" {
				assert.Nil(t, found)
				return
			}
			require.NotNil(t, found)
			assert.Equal(t, test.says, found.String())
		})
	}
}

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

func TestEvidenceHasTimeOfLastChange(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC))
	d := Difference{}
	d.addManagers(apierrors.NewApplyConflict([]metav1.StatusCause{
		{Message: `conflict with "kubectl" with subresource "scale" using apps/v1`},
		{Message: `conflict with "kubectl" using apps/v1`},
	}, ""), []metav1.ManagedFieldsEntry{{Manager: "kubectl", Time: &at}}, nil)
	assert.Equal(t, "by kubectl at 2026-11-28T16:00:00Z", d.Evidence)
	assert.Empty(t, d.Kept)
}

func TestOnlyDifferencesOfResourceArePutBack(t *testing.T) {
	w := newWorld(t, one)
	report := &Report{cluster: w.cluster, wanted: []wanted{*wantedOf(t, one)}}
	for difference, applies := range map[*Difference]int{
		{Resource: "d-release", Thing: "Deployment/apps/web", Verdict: Changed}:               1,
		{Resource: "d-release", Thing: "Deployment/apps/web", Verdict: Changed, Kept: "flux"}: 0,
		{Resource: "other", Thing: "Deployment/apps/web", Verdict: Changed}:                   0,
	} {
		w.dry = nil
		difference.object = &report.wanted[0]
		report.Differences = []Difference{*difference}
		require.NoError(t, report.PutBack(t.Context(), "d-release"))
		assert.Len(t, w.dry, applies, difference.String())
		assert.NotContains(t, w.dry, true)
	}
}

// Argo CD generates keys in its Secret only when it starts. A Pod's token contains the UID of its
// ServiceAccount.
func TestWorkloadRestartsAfterLossOfSecretOrServiceAccount(t *testing.T) {
	for text, restarts := range map[string]bool{
		`{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: apps}}`:             true,
		`{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: elsewhere}}`:        false,
		`{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: apps}}`:   true,
		`{apiVersion: v1, kind: ServiceAccount, metadata: {name: other, namespace: apps}}`: false,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: apps}}`:        false,
	} {
		w := newWorld(t, one)
		lost, workload := wantedOf(t, text), wantedOf(t, one)
		require.NoError(t, unstructured.SetNestedField(workload.object.Object, "web",
			"spec", "template", "spec", "serviceAccountName"))
		report := &Report{cluster: w.cluster, wanted: []wanted{*lost, *workload},
			Differences: []Difference{{Resource: "d-release", Verdict: Missing, object: lost}}}
		require.NoError(t, report.PutBack(t.Context(), "d-release"))
		var patched []string
		for _, action := range w.objects.Actions() {
			if patch, ok := action.(clienttesting.PatchAction); ok {
				patched = append(patched, patch.GetName()+" "+string(patch.GetPatchType()))
			}
		}
		want := []string{lost.object.GetName() + " application/apply-patch+yaml"}
		if restarts { // first, so that a killed update does it again
			want = append([]string{"web application/strategic-merge-patch+json"}, want...)
		}
		assert.Equal(t, want, patched, text)
	}
}

// A Pod that started before the change still has the former content.
func TestWorkloadRestartsIfItStartedWithChangedConfiguration(t *testing.T) {
	const (
		keys   = `{env: [{name: A, valueFrom: {configMapKeyRef: {name: params, key: a}}}]}`
		volume = `{volumes: [{name: v, secret: {secretName: params}}]}`
	)
	changed := time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name, kind, template string
		at, started          time.Time
		restarts             bool
	}{
		{"started since", "ConfigMap", keys, changed, changed.Add(time.Second), true},
		{"started in the same second", "Secret", volume, changed, changed, true},
		{"started before", "ConfigMap", keys, changed, changed.Add(-time.Second), false},
		{"reads another kind", "Secret", keys, changed, changed, false},
		{"time of the change is unknown", "ConfigMap", keys, time.Time{}, changed, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, one, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-1",
				Namespace: "apps", Labels: map[string]string{"app": "web"},
				CreationTimestamp: metav1.NewTime(test.started)}},
				&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: "apps",
					CreationTimestamp: metav1.NewTime(changed.Add(time.Hour))}})
			object := wantedOf(t, `{apiVersion: v1, kind: `+test.kind+
				`, metadata: {name: params, namespace: apps}}`)
			workload := wantedOf(t, deployment+`spec: {selector: {matchLabels: {app: web}},
				template: {spec: `+test.template+`}}}`)
			report := &Report{cluster: w.cluster, wanted: []wanted{*object, *workload},
				Differences: []Difference{{Resource: "d-release", Verdict: Changed, object: object,
					changed: test.at}}}
			require.NoError(t, report.PutBack(t.Context(), "d-release"))
			var patched []types.PatchType
			for _, action := range w.objects.Actions() {
				if patch, ok := action.(clienttesting.PatchAction); ok {
					patched = append(patched, patch.GetPatchType())
				}
			}
			want := []types.PatchType{types.ApplyPatchType}
			if test.restarts { // last, so that the new Pod reads what was applied
				want = append(want, types.StrategicMergePatchType)
			}
			assert.Equal(t, want, patched)
		})
	}
}

func TestReleaseWithoutRecordIsFoundAndGetsFailedRecord(t *testing.T) {
	w := newWorld(t, "")
	_, broken, err := w.readRelease(t.Context(), "r", "apps", "rel")
	require.NoError(t, err)
	assert.Equal(t, &release{"r", "apps", "rel", ""}, broken)
	assert.Equal(t, "Release/apps/rel: missing", broken.difference().String())
	report := &Report{cluster: w.cluster, broken: []release{*broken}}
	require.NoError(t, report.RecordReleases(t.Context()))
	all, broken, err := w.readRelease(t.Context(), "r", "apps", "rel")
	require.NoError(t, err)
	assert.Empty(t, all, "the update installs its objects")
	assert.Equal(t, "failed", broken.status, "an update that is killed before is repeated")
}

// The record of an upgrade that was killed stays pending, and the state has the inputs of the
// update before it.
func TestReleaseThatIsNotDeployedIsFound(t *testing.T) {
	w := newWorld(t, "", &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: "sh.helm.release.v1.rel.v2", Namespace: "apps", Labels: map[string]string{
			"owner": "helm", "name": "rel", "version": "2", "status": "pending-upgrade"}}})
	_, broken, err := w.readRelease(t.Context(), "r", "apps", "rel")
	require.NoError(t, err)
	assert.Equal(t, "Release/apps/rel: changed (its status is pending-upgrade)",
		broken.difference().String())
	report := &Report{cluster: w.cluster, broken: []release{*broken}}
	require.NoError(t, report.RecordReleases(t.Context()))
	require.NoError(t, report.PutBack(t.Context(), "r"), "the upgrade does it")
	assert.Empty(t, w.dry)
}
