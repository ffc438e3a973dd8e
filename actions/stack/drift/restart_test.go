package drift

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
)

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

func TestEachChangedObjectThatWorkloadReadsCounts(t *testing.T) {
	started := time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC)
	w := newWorld(t, one, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-1",
		Namespace: "apps", CreationTimestamp: metav1.NewTime(started)}})
	workload := wantedOf(t, deployment+`spec: {template: {spec: {containers: [{name: c, envFrom: [`+
		`{configMapRef: {name: a}}, {configMapRef: {name: b}}]}]}}}}`)
	changed := func(name string, at time.Time) Difference {
		return Difference{Verdict: Changed, changed: at, object: wantedOf(t,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: `+name+`, namespace: apps}}`)}
	}
	restarts, err := w.hasStartedWithChange(t.Context(), workload, []Difference{
		changed("a", started.Add(time.Second)), changed("b", started.Add(-time.Second))})
	require.NoError(t, err)
	assert.True(t, restarts, "the Pod read b after b was changed")
}
