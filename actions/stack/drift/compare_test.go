package drift

import (
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
