package upgrade_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/drain"
	"strata/internal/upgrade"
)

func TestServersGoOneByOneAndThenTheAgents(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.run())
	assert.Equal(t, []string{"server-1", "server-2", "server-3", "agent-1", "agent-2"}, c.restarted)
	assert.Equal(t, 1, c.mostAway, "one at a time")
	for _, name := range c.restarted {
		assert.Equal(t, next, c.node(name).Status.NodeInfo.KubeletVersion, name)
		assert.False(t, c.node(name).Spec.Unschedulable, name)
	}
	assert.ElementsMatch(t, []string{"web-on-agent-1", "web-on-agent-2"}, c.gone, "their Pods were moved first")
	c.restarted = nil
	require.NoError(t, c.run())
	assert.Empty(t, c.restarted, "there is nothing to do")
}

func TestAgentsGoInLanes(t *testing.T) {
	c := newCluster(t)
	c.plan.Concurrency = 2
	c.together = 2
	require.NoError(t, c.run())
	assert.Equal(t, 2, c.mostAway)
	assert.Equal(t, []string{"server-1", "server-2", "server-3"}, c.restarted[:3], "servers are no lanes")
}

func TestANodeThatDoesNotComeBackEndsTheRolloutAndTheRestServes(t *testing.T) {
	c := newCluster(t)
	c.broken["server-2"] = errors.New("unit server-2: k3s failed: exit status 1")
	err := c.run()
	require.ErrorContains(t, err, "upgrade of server-2 from "+was+" to "+next)
	require.ErrorContains(t, err, "unit server-2: k3s failed: exit status 1")
	require.ErrorContains(t, err, "3 nodes are not begun and all others serve")
	assert.Equal(t, []string{"server-1", "server-2"}, c.restarted)
	assert.True(t, c.node("server-2").Spec.Unschedulable, "nothing is scheduled where it may not start")
	for _, name := range []string{"server-1", "server-3", "agent-1", "agent-2"} {
		assert.False(t, c.node(name).Spec.Unschedulable, name)
	}
	delete(c.broken, "server-2")
	c.restarted = nil
	require.NoError(t, c.run())
	assert.Equal(t, []string{"server-3", "agent-1", "agent-2"}, c.restarted, "server-2 runs its new binary already")
	assert.False(t, c.node("server-2").Spec.Unschedulable)
}

// SIGKILL leaves no time to say anything: what is left to do is seen on the hosts and Nodes.
func TestAnInterruptedRolloutGoesOn(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, drain.Cordon(t.Context(), c.client, "server-1", next), "killed after the cordon")
	require.NoError(t, drain.Cordon(t.Context(), c.client, "server-2", next))
	c.starts("server-2") // killed after the restart
	require.NoError(t, c.run())
	assert.Equal(t, []string{"server-1", "server-3", "agent-1", "agent-2"}, c.restarted)
	for _, name := range []string{"server-1", "server-2"} {
		assert.False(t, c.node(name).Spec.Unschedulable, name)
	}
	assert.Contains(t, c.log.String(), "server-2 was started with "+next+" by a run that was interrupted")
}

func TestADrainThatABudgetBlocksLeavesTheNodeAsItWas(t *testing.T) {
	c := newCluster(t)
	c.protected["web-on-agent-1"] = true
	err := c.run()
	require.ErrorContains(t, err, "upgrade of agent-1")
	require.ErrorContains(t, err, "default/web-on-agent-1: The disruption budget web needs 2 healthy pods and has 2 currently")
	require.ErrorContains(t, err, "strata:timeouts.drain")
	assert.Equal(t, []string{"server-1", "server-2", "server-3"}, c.restarted)
	assert.False(t, c.node("agent-1").Spec.Unschedulable)
	assert.Equal(t, was, c.node("agent-1").Status.NodeInfo.KubeletVersion)
}

func TestANodeThatSomebodyElseCordonedStaysCordoned(t *testing.T) {
	c := newCluster(t)
	c.cordon("agent-1")
	require.NoError(t, c.run())
	assert.Contains(t, c.restarted, "agent-1")
	assert.True(t, c.node("agent-1").Spec.Unschedulable)
}

func TestTheOnlyNodeIsNotDrained(t *testing.T) {
	c := newCluster(t, "server-1")
	require.NoError(t, c.run())
	assert.Equal(t, []string{"server-1"}, c.restarted)
	assert.Empty(t, c.gone)
	assert.Contains(t, c.log.String(), "no other node could take its Pods")
}

func TestNothingBeginsWhileAServerIsAway(t *testing.T) {
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

func TestWhatK3sCannotDoIsRefusedForAllNodesBeforeTheFirst(t *testing.T) {
	c := newCluster(t)
	c.plan.Version = "v1.36.0+k3s1"
	err := c.run()
	require.ErrorContains(t, err, "refused, nothing was changed")
	assert.Equal(t, 5, strings.Count(err.Error(), "skips a minor version"))
	assert.Empty(t, c.restarted)
}

func TestAHostThatCannotBeAskedEndsTheRolloutBeforeItBegins(t *testing.T) {
	c := newCluster(t)
	c.unreachable = "agent-2"
	require.ErrorContains(t, c.run(), "look at agent-2")
	assert.Empty(t, c.restarted)
}

func TestANodeThatIsStillToJoinIsLeftToItsInstall(t *testing.T) {
	c := newCluster(t)
	c.hosts["agent-2"] = upgrade.HostWithout
	require.NoError(t, c.run())
	assert.NotContains(t, c.restarted, "agent-2")
}

func TestASumThatIsNotThePinnedOneIsNamed(t *testing.T) {
	c := newCluster(t)
	c.wrongSum = "server-2"
	err := c.run()
	require.ErrorContains(t, err, "upgrade of server-2")
	require.ErrorContains(t, err, "has not the sha256")
	assert.False(t, c.node("server-2").Spec.Unschedulable)
	assert.Equal(t, was, c.node("server-2").Status.NodeInfo.KubeletVersion)
}
