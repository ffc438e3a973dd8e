package upgrade_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"strata/actions/k3s/drain"
	"strata/actions/k3s/upgrade"
)

func TestServersAreUpgradedOneByOneBeforeAgents(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.run())
	assert.Equal(t, []string{"server-1", "server-2", "server-3", "agent-1", "agent-2"}, c.restarted)
	assert.Equal(t, 1, c.mostAway, "one at a time")
	for _, name := range c.restarted {
		assert.Equal(t, next, c.node(name).Status.NodeInfo.KubeletVersion, name)
		assert.False(t, c.node(name).Spec.Unschedulable, name)
	}
	assert.ElementsMatch(t, []string{"web-on-agent-1", "web-on-agent-2"}, c.gone,
		"their Pods were moved first")
	c.restarted = nil
	require.NoError(t, c.run())
	assert.Empty(t, c.restarted, "there is nothing to do")
}

func TestAgentsUpgradeConcurrently(t *testing.T) {
	c := newCluster(t)
	c.plan.Concurrency = 2
	c.together = 2
	require.NoError(t, c.run())
	assert.Equal(t, 2, c.mostAway)
	assert.Equal(t, []string{"server-1", "server-2", "server-3"}, c.restarted[:3],
		"servers are no lanes")
}

func TestRolloutStopsWhenNodeDoesNotReturn(t *testing.T) {
	c := newCluster(t)
	c.broken["server-2"] = errors.New("unit server-2: k3s failed: exit status 1")
	err := c.run()
	require.ErrorContains(t, err, "upgrade of server-2 from "+was+" to "+next)
	require.ErrorContains(t, err, "unit server-2: k3s failed: exit status 1")
	require.ErrorContains(t, err, "3 nodes are not begun and all others serve")
	assert.Equal(t, []string{"server-1", "server-2"}, c.restarted)
	assert.True(t, c.node("server-2").Spec.Unschedulable,
		"nothing is scheduled where it may not start")
	for _, name := range []string{"server-1", "server-3", "agent-1", "agent-2"} {
		assert.False(t, c.node(name).Spec.Unschedulable, name)
	}
	delete(c.broken, "server-2")
	c.restarted = nil
	require.NoError(t, c.run())
	assert.Equal(t, []string{"server-3", "agent-1", "agent-2"}, c.restarted,
		"server-2 runs its new binary already")
	assert.False(t, c.node("server-2").Spec.Unschedulable)
}

// A killed run records nothing, so the next run reads the remaining work from hosts and Nodes.
func TestInterruptedRolloutContinues(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, drain.Cordon(t.Context(), c.client, "server-1", next),
		"killed after the cordon")
	require.NoError(t, drain.Cordon(t.Context(), c.client, "server-2", next))
	c.starts("server-2") // killed after the restart
	require.NoError(t, c.run())
	assert.Equal(t, []string{"server-1", "server-3", "agent-1", "agent-2"}, c.restarted)
	for _, name := range []string{"server-1", "server-2"} {
		assert.False(t, c.node(name).Spec.Unschedulable, name)
	}
	assert.Contains(t, c.log.String(), "server-2 was started with "+next+
		" by a run that was interrupted")
}

func TestBlockedDrainLeavesNodeUncordoned(t *testing.T) {
	c := newCluster(t)
	c.protected["web-on-agent-1"] = true
	err := c.run()
	require.ErrorContains(t, err, "upgrade of agent-1")
	require.ErrorContains(t, err,
		"default/web-on-agent-1: The disruption budget web needs 2 healthy pods and has 2 currently")
	require.ErrorContains(t, err, "strata:timeouts.drain")
	assert.Equal(t, []string{"server-1", "server-2", "server-3"}, c.restarted)
	assert.False(t, c.node("agent-1").Spec.Unschedulable)
	assert.Equal(t, was, c.node("agent-1").Status.NodeInfo.KubeletVersion)
}

func TestManuallyCordonedNodeStaysCordoned(t *testing.T) {
	c := newCluster(t)
	c.cordon("agent-1")
	require.NoError(t, c.run())
	assert.Contains(t, c.restarted, "agent-1")
	assert.True(t, c.node("agent-1").Spec.Unschedulable)
}

func TestOnlyNodeIsNotDrained(t *testing.T) {
	c := newCluster(t, "server-1")
	require.NoError(t, c.run())
	assert.Equal(t, []string{"server-1"}, c.restarted)
	assert.Empty(t, c.gone)
	assert.Contains(t, c.log.String(), "no other node could take its Pods")
}

func TestUpgradeIsRefusedWhileServerIsDown(t *testing.T) {
	for name, away := range map[string]func(c *cluster){
		"its Node is not Ready": func(c *cluster) { c.notReady("server-3") },
		"it died just now":      func(c *cluster) { c.silent["https://server-3:6443"] = true },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			away(c)
			err := c.run()
			require.ErrorContains(t, err, "server server-3")
			require.ErrorContains(t, err, "etcd bears no second one away")
			assert.Empty(t, c.restarted)
			assert.False(t, c.node("server-1").Spec.Unschedulable)
		})
	}
}

func TestSkippedMinorVersionIsRefusedBeforeUpgrade(t *testing.T) {
	c := newCluster(t)
	c.plan.Version = "v1.36.0+k3s1"
	err := c.run()
	require.ErrorContains(t, err, "refused, nothing was changed")
	assert.Equal(t, 5, strings.Count(err.Error(), "skips a minor version"))
	assert.Empty(t, c.restarted)
}

func TestUnreachableHostStopsRolloutBeforeStart(t *testing.T) {
	c := newCluster(t)
	c.unreachable = "agent-2"
	require.ErrorContains(t, c.run(), "observe agent-2")
	assert.Empty(t, c.restarted)
}

func TestUpgradeSkipsHostWithoutK3s(t *testing.T) {
	c := newCluster(t)
	c.hosts["agent-2"] = upgrade.HostWithout
	require.NoError(t, c.run())
	assert.NotContains(t, c.restarted, "agent-2")
}

func TestUpgradeReportsWrongChecksum(t *testing.T) {
	c := newCluster(t)
	c.wrongSum = "server-2"
	err := c.run()
	require.ErrorContains(t, err, "upgrade of server-2")
	require.ErrorContains(t, err, "has not the sha256")
	assert.False(t, c.node("server-2").Spec.Unschedulable)
	assert.Equal(t, was, c.node("server-2").Status.NodeInfo.KubeletVersion)
}

// When the first node fails, the upgrades of concurrent nodes have begun.
func TestFailedRolloutCountsConcurrentNodesAsStarted(t *testing.T) {
	c := newCluster(t, "server-1", "agent-1", "agent-2", "agent-3")
	c.plan.Concurrency = 2
	c.together = 2
	c.broken["agent-1"] = errors.New("unit k3s-agent failed")
	c.broken["agent-2"] = errors.New("unit k3s-agent failed")
	err := c.run()
	require.ErrorContains(t, err, "upgrade of agent-1")
	require.ErrorContains(t, err, "upgrade of agent-2")
	assert.Contains(t, err.Error(), "1 nodes are not begun")
	assert.NotContains(t, err.Error(), "2 nodes are not begun")
	assert.NotContains(t, c.restarted, "agent-3")
}

func TestUpgradeFailsIfNewKubeletIsNotReady(t *testing.T) {
	for name, test := range map[string]struct {
		kubelet func(node *corev1.Node)
		want    string
	}{
		"another version": {func(node *corev1.Node) {
			node.Status.NodeInfo.KubeletVersion = was
		}, "Ready=True (KubeletReady: ) with kubelet " + was},
		"a report from before the restart": {func(node *corev1.Node) {
			node.Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(
				time.Now().Add(-time.Minute))
		}, "Ready=True (KubeletReady: ) with kubelet " + next},
		"not Ready": {func(node *corev1.Node) {
			node.Status.Conditions[0].Status,
				node.Status.Conditions[0].Reason = corev1.ConditionFalse,
				"KubeletNotReady"
		}, "Ready=False (KubeletNotReady: ) with kubelet " + next},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, "server-1", "agent-1")
			c.plan.Return.Duration = 300 * time.Millisecond
			c.kubelet = test.kubelet
			err := c.run()
			require.ErrorContains(t, err,
				"it did not come back and stays cordoned: expected it Ready with kubelet "+next+
					", found: Node server-1 is "+test.want)
			assert.Equal(t, []string{"server-1"}, c.restarted)
			assert.True(t, c.node("server-1").Spec.Unschedulable)
		})
	}
}

// The host may have started the new K3s before its answer was lost. So the next run waits until the
// node works, although the host already runs the wanted binary.
func TestNextRunCompletesRestartAfterLostConnection(t *testing.T) {
	c := newCluster(t, "server-1", "agent-1")
	c.lost = "agent-1"
	err := c.run()
	require.ErrorContains(t, err, "connection to agent-1 lost")
	require.ErrorContains(t, err, "it may have started the new K3s, and stays cordoned")
	assert.True(t, c.node("agent-1").Spec.Unschedulable)
	c.lost = ""
	require.NoError(t, c.run())
	assert.Contains(t, c.log.String(), "agent-1 was started with "+next+
		" by a run that was interrupted")
	assert.False(t, c.node("agent-1").Spec.Unschedulable)
}

// If no other node accepts the Pods, a drain would stop them for at least as long as the restart.
func TestNodeIsNotDrainedWhenOthersAreTainted(t *testing.T) {
	c := newCluster(t, "server-1", "agent-1")
	server := c.node("server-1")
	server.Spec.Taints = []corev1.Taint{
		{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}}
	c.put(server)
	require.NoError(t, c.run())
	assert.Empty(t, c.gone)
	assert.Contains(t, c.log.String(), "agent-1 is not drained: no other node could take its Pods")
}

// If Strata cannot list the Nodes to find one for the Pods, the cordoned node must not stay
// cordoned.
func TestNodeIsUncordonedWhenNodeListFails(t *testing.T) {
	c := newCluster(t, "server-1", "agent-1")
	lists := 0
	c.client.PrependReactor("list", "nodes",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			// The rollout lists the Nodes first. Then it lists them twice for each server: to check
			// the other servers, and to find a node for its Pods.
			lists++
			if lists < 3 {
				return false, nil, nil
			}
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"},
				"", nil)
		})
	require.ErrorContains(t, c.run(), "forbidden")
	assert.False(t, c.node("server-1").Spec.Unschedulable)
	assert.NotContains(t, c.log.String(), "no other node could take its Pods")
}

func TestUpgradeIsRefusedWithoutQuorum(t *testing.T) {
	c := newCluster(t)
	c.silent["https://server-2:6443"], c.silent["https://server-3:6443"] = true, true
	err := c.run()
	require.ErrorContains(t, err,
		"server server-2 does not serve (connection refused), and etcd bears no second one away; "+
			"bring it back, or take it out of strata:hosts")
	assert.Empty(t, c.restarted)
}

// Containers continue while K3s restarts, so no Pod has to leave.
func TestExpiringCertificatesAreRenewedWithoutDrain(t *testing.T) {
	c := newCluster(t)
	for name := range c.hosts {
		c.hosts[name] = upgrade.HostCurrent
		node := c.node(name)
		node.Status = status(next, corev1.ConditionTrue)
		c.put(node)
	}
	c.hosts["server-2"], c.hosts["agent-1"] = upgrade.HostEnding, upgrade.HostEnding
	require.NoError(t, c.run())
	assert.Equal(t, []string{"server-2", "agent-1"}, c.restarted)
	assert.Empty(t, c.gone)
	assert.Equal(t, 1, c.mostAway)
	assert.False(t, c.node("agent-1").Spec.Unschedulable)
	require.NoError(t, c.run())
	assert.Len(t, c.restarted, 2)
}
