package gates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/tests/gates/fakeapi"
)

func rolloutSpec(c *fakeapi.Cluster) health.Spec {
	return health.Spec{Kind: health.KindRollout, Servers: c.URLs(), Rollout: &health.RolloutSpec{Workloads: []string{"kube-system/Deployment/coredns"}}}
}

// upgrading is a Deployment whose previous revision serves while the newest does not.
const upgrading = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns, namespace: kube-system, uid: dns, generation: {{.generation}}}
spec: {replicas: {{.replicas}}, selector: {matchLabels: {k8s-app: kube-dns}}, template: {metadata: {labels: {k8s-app: kube-dns}}, spec: {containers: []}}}
status: {observedGeneration: 2, replicas: {{.pods}}, updatedReplicas: {{.updated}}, availableReplicas: {{.available}}}
`

// A layer's URLs answer in every one of these: the previous revision serves. Only the rollout gate tells.
func TestRolloutGateIsNotFooledByThePreviousRevision(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name   string
		values map[string]any
		says   string
	}{
		{"the newest revision has no Pod yet", map[string]any{"generation": 2, "replicas": 2, "pods": 2, "updated": 0, "available": 2}, "0/2 updated"},
		{"an old Pod is left", map[string]any{"generation": 2, "replicas": 2, "pods": 3, "updated": 2, "available": 2}, "1 old"},
		{"it is not reconciled yet", map[string]any{"generation": 3, "replicas": 1, "pods": 1, "updated": 1, "available": 1}, "newest generation"},
		{"it is scaled to nothing", map[string]any{"generation": 2, "replicas": 0, "pods": 0, "updated": 0, "available": 0}, "scaled to 0"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 1)
			c.PutAll(systemText)
			c.PutAll(object(t, upgrading, fault.values))
			gate := start(t, c, rolloutSpec(c))
			gate.says(fault.says)
			gate.stays(200 * time.Millisecond)
			c.PutAll(systemText)
			gate.opens()
		})
	}
}

func TestRolloutGateNamesTheImageThatDoesNotExist(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(systemText)
	c.PutAll(object(t, dnsDown, map[string]any{"hash": "new", "reason": "ImagePullBackOff", "message": "Back-off pulling image: not found"}))
	c.PutAll(object(t, upgrading, map[string]any{"generation": 2, "replicas": 1, "pods": 2, "updated": 1, "available": 1}))
	result := start(t, c, rolloutSpec(c)).sticks(lag)
	assert.Contains(t, result.Report(), "coredns:1", "the image is named although the previous revision serves")
}

func TestRolloutGateWaitsForAWorkloadThatIsNotThere(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	gate := start(t, c, rolloutSpec(c))
	gate.says("does not exist")
	gate.stays(200 * time.Millisecond)
	c.PutAll(systemText)
	gate.opens()
}

func TestRolloutGateNamesThePodThatBlocksAStatefulSet(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	values := map[string]any{"revision": "new", "updated": 0, "available": 0}
	c.PutAll(object(t, blockedSet, values))
	spec := health.Spec{Kind: health.KindRollout, Servers: c.URLs(), Rollout: &health.RolloutSpec{Workloads: []string{"argocd/StatefulSet/controller"}}}
	gate := start(t, c, spec)
	gate.says("Pod controller-0 is of an earlier revision and not Ready")
	gate.stays(200 * time.Millisecond)
	c.PutAll(object(t, blockedSet, map[string]any{"revision": "old", "updated": 1, "available": 1}))
	gate.opens()
}

const blockedSet = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: controller, namespace: argocd, uid: set, generation: 1}
spec: {replicas: 1, selector: {matchLabels: {app: controller}}, template: {metadata: {labels: {app: controller}}, spec: {containers: []}}}
status: {observedGeneration: 1, replicas: 1, updatedReplicas: {{.updated}}, availableReplicas: {{.available}}, updateRevision: {{.revision}}}
---
apiVersion: v1
kind: Pod
metadata: {name: controller-0, namespace: argocd, uid: pod, labels: {app: controller, controller-revision-hash: old}}
status: {conditions: [{type: PodScheduled, status: "True"}, {type: Ready, status: "False"}]}
`
