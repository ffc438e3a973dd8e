package gates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/rollout"
	"strata/tests/gates/fakeapi"
)

func rolloutSpec(c *fakeapi.Cluster) health.Spec {
	return health.Spec{Servers: c.URLs(),
		Body: rollout.Spec{Workloads: []string{"kube-system/Deployment/coredns"}}}
}

// upgrading is a Deployment whose previous revision is available. Its newest revision is not.
const upgrading = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns, namespace: kube-system, uid: dns, generation: {{.generation}}}
spec: {replicas: {{.replicas}}, selector: {matchLabels: {k8s-app: kube-dns}}, template: {metadata: {labels: {k8s-app: kube-dns}}, spec: {containers: []}}}
status: {observedGeneration: 2, replicas: {{.pods}}, updatedReplicas: {{.updated}}, availableReplicas: {{.available}}}
`

// In each of these cases, the URLs of a layer answer, because the previous revision serves. Only
// the rollout gate detects the fault.
func TestRolloutGateStaysClosedWhilePreviousRevisionServes(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name   string
		values map[string]any
		says   string
	}{
		{"the newest revision has no Pod yet",
			map[string]any{"generation": 2, "replicas": 2, "pods": 2, "updated": 0, "available": 2},
			"0/2 updated"},
		{"an old Pod is left",
			map[string]any{"generation": 2, "replicas": 2, "pods": 3, "updated": 2, "available": 2},
			"1 old"},
		{"it is not reconciled yet",
			map[string]any{"generation": 3, "replicas": 1, "pods": 1, "updated": 1, "available": 1},
			"newest generation"},
		{"it is scaled to nothing",
			map[string]any{"generation": 2, "replicas": 0, "pods": 0, "updated": 0, "available": 0},
			"scaled to 0"},
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

func TestRolloutGateNamesMissingImage(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(systemText)
	c.PutAll(object(t, dnsDown,
		map[string]any{"hash": "new", "reason": "ImagePullBackOff",
			"message": "Back-off pulling image: not found"}))
	c.PutAll(object(t, upgrading,
		map[string]any{"generation": 2, "replicas": 1, "pods": 2, "updated": 1, "available": 1}))
	result := start(t, c, rolloutSpec(c)).sticks(lag)
	assert.Contains(t, result.Report(), "coredns:1",
		"the image is named although the previous revision serves")
}

func TestRolloutGateWaitsForMissingWorkload(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	gate := start(t, c, rolloutSpec(c))
	gate.says("does not exist")
	gate.stays(200 * time.Millisecond)
	c.PutAll(systemText)
	gate.opens()
}

func TestRolloutGateNamesPodThatBlocksStatefulSet(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	values := map[string]any{"revision": "new", "updated": 0, "available": 0}
	c.PutAll(object(t, blockedSet, values))
	spec := health.Spec{Servers: c.URLs(),
		Body: rollout.Spec{Workloads: []string{"argocd/StatefulSet/controller"}}}
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

// running is a workload whose Pods have the newest revision. Two other Pods must not count: one was
// evicted, and one is terminating.
const running = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: web, generation: 1}
spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: []}}}
status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop, uid: web-1, labels: {app: web}}
spec: {initContainers: [{name: wait, image: "quay.io/acme/wait:1"}], containers: [{name: web, image: "quay.io/acme/web:1"}]}
status:
  phase: Running
  initContainerStatuses: [{name: wait, image: "quay.io/acme/wait:1", imageID: "{{.wait}}", ready: true, restartCount: 0}]
  containerStatuses: [{name: web, image: "quay.io/acme/web:1", imageID: "{{.web}}", ready: true, restartCount: 0}]
---
apiVersion: v1
kind: Pod
metadata: {name: web-evicted, namespace: shop, uid: web-2, labels: {app: web}}
spec: {containers: [{name: web, image: "quay.io/acme/web:1"}]}
status:
  phase: Failed
  containerStatuses: [{name: web, image: "quay.io/acme/web:1", imageID: "quay.io/acme/web@sha256:old", ready: false, restartCount: 0}]
---
apiVersion: v1
kind: Pod
metadata: {name: web-ending, namespace: shop, uid: web-3, labels: {app: web}, deletionTimestamp: "2026-11-26T00:00:00Z", finalizers: [a/b]}
spec: {containers: [{name: web, image: "quay.io/acme/web:1"}]}
status:
  phase: Running
  containerStatuses: [{name: web, image: "quay.io/acme/web:1", imageID: "quay.io/acme/web@sha256:old", ready: false, restartCount: 0}]
`

func TestRolloutGateComparesRunningImagesWithRecordedDigests(t *testing.T) {
	t.Parallel()
	recorded := map[string][]string{"quay.io/acme/web:1": {"sha256:index", "sha256:amd64"},
		"quay.io/acme/wait:1": {"sha256:index"}}
	for name, one := range map[string]struct{ web, wait, says string }{
		"as recorded": {web: "quay.io/acme/web@sha256:amd64",
			wait: "quay.io/acme/wait@sha256:index"},
		"from an archive": {web: "sha256:configuration", wait: "sha256:configuration"},
		"another image": {"quay.io/acme/web@sha256:other", "sha256:configuration",
			"Pod web-1: container web: image quay.io/acme/web:1: expected sha256:index, found sha256:other"},
		"another image of an initContainer": {"sha256:configuration",
			"quay.io/acme/wait@sha256:other",
			"container wait"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 1)
			c.PutAll(object(t, running, map[string]any{"web": one.web, "wait": one.wait}))
			spec := health.Spec{Servers: c.URLs(),
				Body: rollout.Spec{Workloads: []string{"shop/Deployment/web"}}, Images: recorded}
			gate := start(t, c, spec)
			if one.says == "" {
				gate.opens()
				return
			}
			gate.says(one.says)
			gate.stays(200 * time.Millisecond)
			c.PutAll(object(t, running, map[string]any{"web": "sha256:configuration",
				"wait": "sha256:configuration"}))
			gate.opens()
		})
	}
}

func TestRolloutGateIgnoresImagesWithoutRecordedDigests(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(object(t, running, map[string]any{"web": "quay.io/acme/web@sha256:other",
		"wait": "quay.io/acme/wait@sha256:other"}))
	start(t, c, health.Spec{Servers: c.URLs(),
		Body: rollout.Spec{Workloads: []string{"shop/Deployment/web"}}}).opens()
}
