package gates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/nodes"
	"strata/health/pool"
	"strata/health/system"
	"strata/tests/gates/fakeapi"
)

// The gates of an existing cluster know no configured nodes. They must report the same faults as
// those of a cluster that Strata creates, from the API alone.

func registeredSpec(c *fakeapi.Cluster) health.Spec {
	return health.Spec{Servers: c.URLs(), Body: nodes.Spec{Registered: true}}
}

func TestExistingClusterNodesGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name  string
		spoil func(*fakeapi.Cluster)
		says  string
	}{
		{"no Nodes at all", func(c *fakeapi.Cluster) {
			c.Delete("v1", "nodes", "", "server-1")
			c.Delete("v1", "nodes", "", "agent-1")
		}, "no Nodes registered"},
		{"one is NotReady", func(c *fakeapi.Cluster) {
			c.PutAll(node(t, "agent-1", "10.10.0.12",
				map[string]any{"ready": "False", "message": "NetworkReady=false"}))
		}, "node agent-1: NotReady, NetworkReady=false"},
		{"one has a dead kubelet that is not noticed yet", func(c *fakeapi.Cluster) {
			c.PutAll(node(t, "agent-1", "10.10.0.12",
				map[string]any{"renewed": "2020-01-01T00:00:00.000000Z"}))
		}, "Lease is not renewed"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 1)
			readyNodes(t, c)
			fault.spoil(c)
			gate := start(t, c, registeredSpec(c))
			gate.says(fault.says)
			gate.stays(200 * time.Millisecond)
			readyNodes(t, c)
			gate.opens()
		})
	}
}

func TestExistingClusterNodesGateAcceptsAnyNodeName(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(node(t, "kind-control-plane", "172.18.0.2", map[string]any{"server": true}))
	assert.Len(t, start(t, c, registeredSpec(c)).opens().Checks, 2)
}

const speakerPod = `
apiVersion: v1
kind: Pod
metadata: {name: speaker-{{.node}}, namespace: metallb-system, labels: {app.kubernetes.io/component: speaker}}
spec: {nodeName: {{.node}}, containers: []}
`

func TestExistingClusterPoolGateChecksNodesWithSpeakerPods(t *testing.T) {
	t.Parallel()
	c := poolCluster(t)
	spec := poolSpec(c)
	healthtest.Change(&spec, func(s *pool.Spec) {
		s.Speakers = nil
		s.SpeakerPods = "app.kubernetes.io/component=speaker"
	})
	gate := start(t, c, spec)
	gate.says("no node has a speaker's Pod")
	gate.stays(200 * time.Millisecond)

	c.Put(object(t, speakerPod, map[string]any{"node": "kind-worker"}))
	gate.says("speaker-kind-worker: has not reported")
	gate.stays(200 * time.Millisecond)
	c.Put(state(t, "speaker-kind-worker", nil))
	assert.Len(t, gate.opens().Checks, 3, "pool, controller, one speaker")
}

func TestExistingClusterSystemGateNeedsDNSButNotMetrics(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(systemText)
	c.Delete("apiregistration.k8s.io/v1", "apiservices", "", "v1beta1.metrics.k8s.io")
	c.Delete("apps/v1", "deployments", "kube-system", "coredns")
	c.Delete("discovery.k8s.io/v1", "endpointslices", "kube-system", "kube-dns-x")
	gate := start(t, c, health.Spec{Servers: c.URLs(), Existing: true, Body: system.Spec{}})
	gate.says("dns endpoints")
	gate.stays(200 * time.Millisecond)
	c.PutAll(
		`{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: kube-dns-x, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}, addressType: IPv4, endpoints: [{addresses: [10.96.0.2]}]}`)
	gate.opens()
}
