package kube

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/internal/ssh/tunnel"
	"strata/tests/gates/fakeapi"
)

// refusedSet is a DaemonSet without Pods, and the event of a quota that may be gone by now.
const refusedSet = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: web, namespace: apps, uid: u, generation: 1}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
status: {observedGeneration: 1, desiredNumberScheduled: 1}
---
apiVersion: v1
kind: Event
metadata: {name: web.1, namespace: apps}
involvedObject: {uid: u}
type: Warning
reason: FailedCreate
message: exceeded quota
`

func TestRefusedPodsAreStuckOnlyWhileAPIServerRefusesThem(t *testing.T) {
	c := fakeapi.New(t, 1)
	c.PutAll(refusedSet)
	all, err := NewCluster(c.URLs(), c.Kubeconfig(), tunnel.Spec{})
	require.NoError(t, err)
	var pod map[string]any
	var refusal *fakeapi.Refusal
	c.Servers[0].Script(fakeapi.Script{Admit: func(object map[string]any) *fakeapi.Refusal {
		pod = object
		return refusal
	}})
	judge := func() health.Verdict {
		facts, err := observeWorkload(t.Context(), all.Servers[0],
			WorkloadRef{Namespace: "apps", Kind: "DaemonSet", Name: "web"})
		require.NoError(t, err)
		return JudgeWorkload(facts)
	}
	v := judge()
	assert.Equal(t, health.Waiting, v.State)
	assert.Contains(t, v.Hint, "rollout restart daemonset web")
	assert.Equal(t, map[string]any{"app": "web"}, pod["metadata"].(map[string]any)["labels"])
	assert.NotEmpty(t, pod["spec"].(map[string]any)["containers"])

	refusal = &fakeapi.Refusal{Code: http.StatusForbidden, Reason: "Forbidden", Message: "quota"}
	v = judge()
	assert.Equal(t, health.Stuck, v.State)
	assert.Contains(t, v.Message, "Pods are refused: exceeded quota")
}
