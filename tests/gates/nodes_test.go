package gates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/nodes"
	"strata/tests/gates/fakeapi"
)

func nodesSpec(c *fakeapi.Cluster) health.Spec {
	return health.Spec{Body: nodes.Spec{}, Servers: c.URLs(), Hosts: expected}
}

func TestNodesGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name string
		// spoil causes the fault, and says is the gate's message about it.
		spoil func(*fakeapi.Cluster)
		says  string
	}{
		{"no Nodes at all", func(c *fakeapi.Cluster) {
			c.Delete("v1", "nodes", "", "server-1")
			c.Delete("v1", "nodes", "", "agent-1")
		}, "no Nodes registered, expected 2"},
		{"one is missing", func(c *fakeapi.Cluster) {
			c.Delete("v1", "nodes", "", "agent-1")
		}, "node agent-1: not registered"},
		{"one is NotReady", func(c *fakeapi.Cluster) {
			c.PutAll(node(t, "agent-1", "10.10.0.12",
				map[string]any{"ready": "False",
					"message": "container runtime network not ready: NetworkReady=false"}))
		}, "node agent-1: NotReady, container runtime network not ready"},
		{"one is Unknown", func(c *fakeapi.Cluster) {
			c.PutAll(node(t, "agent-1", "10.10.0.12",
				map[string]any{"ready": "Unknown",
					"message": "Kubelet stopped posting node status."}))
		}, "Ready is Unknown"},
		{"one has a dead kubelet that is not noticed yet", func(c *fakeapi.Cluster) {
			c.PutAll(node(t, "agent-1", "10.10.0.12",
				map[string]any{"renewed": "2020-01-01T00:00:00.000000Z"}))
		}, "Lease is not renewed"},
		{"one has no Lease", func(c *fakeapi.Cluster) {
			c.Delete("coordination.k8s.io/v1", "leases", "kube-node-lease", "agent-1")
		}, "Lease is missing"},
		{"one takes no Pods yet", func(c *fakeapi.Cluster) {
			c.PutAll(node(t, "agent-1", "10.10.0.12",
				map[string]any{"taint": "node.cloudprovider.kubernetes.io/uninitialized"}))
		}, "takes no Pods yet"},
		{"one has another address", func(c *fakeapi.Cluster) {
			c.PutAll(node(t, "agent-1", "192.168.7.7", nil))
		}, "InternalIP is 192.168.7.7, expected 10.10.0.12"},
		{"an agent is a server", func(c *fakeapi.Cluster) {
			c.PutAll(node(t, "agent-1", "10.10.0.12", map[string]any{"server": true}))
		}, "expected an agent"},
		{"the server is an agent", func(c *fakeapi.Cluster) {
			c.PutAll(node(t, "server-1", "10.10.0.11", nil))
		}, "expected a server"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 1)
			readyNodes(t, c)
			fault.spoil(c)
			gate := start(t, c, nodesSpec(c))
			gate.says(fault.says)
			readyNodes(t, c)
			gate.opens()
		})
	}
}

func TestNodesGateWaitsUntilUnexpectedNodeIsRemoved(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	readyNodes(t, c)
	c.PutAll(node(t, "agent-9", "10.10.0.19", nil))
	gate := start(t, c, nodesSpec(c))
	gate.says("not expected: agent-9")
	c.Delete("v1", "nodes", "", "agent-9")
	gate.opens()
}

func TestNodesGateIsStuckWhenHostJoinedUnderOtherName(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(node(t, "server-1", "10.10.0.11", map[string]any{"server": true}))
	c.PutAll(node(t, "debian", "10.10.0.12", nil))
	result := start(t, c, nodesSpec(c)).sticks(25 * time.Second)
	assert.Contains(t, causes(result), "joined under another name")
}

func TestNodesGateUsesOtherServerWhenOneIsDown(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 3)
	readyNodes(t, c)
	c.Servers[0].Stop()
	start(t, c, nodesSpec(c)).opens()
}

func TestNodesGateStaysClosedWhileAPIIsDown(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 2)
	readyNodes(t, c)
	c.Servers[0].Stop()
	c.Servers[1].Stop()
	gate := start(t, c, nodesSpec(c))
	gate.says("refuses connections")
	c.Servers[1].Start()
	gate.opens()
}

func TestNodesGateDetectsReadyNodesWhenWatchIsLost(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 2)
	readyNodes(t, c)
	c.PutAll(node(t, "agent-1", "10.10.0.12", map[string]any{"ready": "False"}))
	gate := start(t, c, nodesSpec(c))
	gate.says("NotReady")
	c.Servers[0].Stop()
	readyNodes(t, c)
	gate.opens()
}
