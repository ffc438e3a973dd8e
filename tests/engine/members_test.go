package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Pulumi deletes after all updates. So an update removes a node from the cluster before the gate of
// the exact node set runs, and uninstalls K3s on the host after that gate.
func TestRemovedAgentLeavesBeforeNodesGateAndUninstallsAfter(t *testing.T) {
	for _, name := range []string{"staging", "proxmox"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			s.mustUp()
			s.removeNodes("agent-2")
			did := s.mustUp().actions
			assert.True(t, did.before("update", "k3s-members", "create", "k3s-nodes"), did)
			assert.NotContains(t, did.names("create"), "k3s-server-1-install",
				"the servers do not know agents")
			last := "k3s-agent-2-claim"
			if name == "proxmox" {
				assert.Nil(t, did.find("delete", last), "it goes with the machine")
				last = "hosts-agent-2-vm"
			}
			assert.True(t, did.before("create", "k3s-nodes", "delete", last), did)
			assert.Empty(t, s.mustUp().changed())
		})
	}
}

func TestAgentHostIsNotUninstalledWhenRemovalFails(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.removeNodes("agent-2")
	s.fail("update", "k3s-members")
	failed := s.up()
	require.Error(t, failed.err)
	assert.Contains(t, toldAbout(failed, "k3s-members"), "made to fail")
	assert.Empty(t, failed.actions.names("delete"), "its K3s was not taken away under running Pods")
	s.heal("update", "k3s-members")
	next := s.mustUp().actions
	assert.True(t, next.before("update", "k3s-members", "delete", "k3s-agent-2-claim"))
}

func TestRemovedServersCanRejoin(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	whole := s.config["strata:hosts"]["nodes"]
	s.removeNodes("server-2", "server-3") // the number of servers must be odd
	left := s.mustUp().actions
	for _, server := range []string{"server-2", "server-3"} {
		assert.True(t, left.before("update", "k3s-members", "delete",
			"k3s-"+server+"-claim"), server)
	}
	assert.True(t, left.before("update", "k3s-members", "create", "k3s-nodes"))

	s.set("hosts", "nodes", whole)
	back := s.mustUp().actions
	assert.True(t, back.before("create", "k3s-server-2-gate", "create", "k3s-server-3-install"),
		"one at a time")
	assert.True(t, back.before("create", "k3s-server-1-gate", "create", "k3s-server-2-install"))
	assert.True(t, back.before("create", "k3s-server-3-gate", "create", "k3s-nodes"))
	assert.Empty(t, back.names("delete"))
	assert.Empty(t, s.mustUp().changed())
}

func TestClusterStaysSameWhenFirstServerIsRemoved(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	cluster := s.stored()["k3s-cluster"].Outputs["hex"]
	s.removeNodes("server-1", "server-2")
	did := s.mustUp().actions
	assert.Equal(t, cluster, s.stored()["k3s-cluster"].Outputs["hex"],
		"it is still the same cluster")
	for _, name := range did.names("delete") {
		assert.True(t, strings.Contains(name, "-server-1-") ||
			strings.Contains(name, "-server-2-"), "%s was deleted", name)
	}
	exported := s.stored()["strata-staging"].Outputs["kubeconfig"].SecretValue().Element
	assert.Contains(t, exported.StringValue(), "https://10.10.0.13:6443", "the kubeconfig follows")
}

// A changed config.yaml restarts K3s. Servers restart one at a time, each after the gate of the
// previous one.
func TestServerConfigChangeRollsOutOneServerAtATime(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.set("k3s", "tlsSANs", []string{"api.example.org"})
	did := s.mustUp().actions
	for _, server := range []string{"server-1", "server-2", "server-3"} {
		assert.True(t, did.before("create", "k3s-"+server+"-install", "create",
			"k3s-"+server+"-gate"), server)
	}
	assert.True(t, did.before("create", "k3s-server-1-gate", "create", "k3s-server-2-install"))
	assert.True(t, did.before("create", "k3s-server-2-gate", "create", "k3s-server-3-install"))
	assert.NotContains(t, did.names("create"), "k3s-agent-1-install",
		"an agent's file has no certificate names")
	assert.Empty(t, did.names("delete"))
	assert.Empty(t, s.mustUp().changed())
}

// The upgrade waits until every node has the new binary and every gate of the old K3s passes. The
// layers above K3s wait for the upgrade.
func TestUpgradeStartsOnceEveryNodeHasBinary(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.newArtifact("k3s")
	s.newArtifact("metallb-chart")
	did := s.mustUp().actions
	for _, node := range []string{"server-1", "server-2", "server-3", "agent-1", "agent-2"} {
		assert.True(t, did.before("create", "k3s-"+node+"-binary", "create",
			"k3s-"+node+"-install"), node)
		assert.True(t, did.before("create", "k3s-"+node+"-binary", "create", "k3s-upgrade"), node)
	}
	for _, gate := range []string{"k3s-nodes", "k3s-system"} {
		assert.True(t, did.before("create", "k3s-upgrade", "create", gate), gate)
	}
	assert.True(t, did.before("create", "k3s-upgrade", "update", "metallb-release"),
		"nothing above is judged while Pods are drained away")
	assert.Empty(t, did.names("delete"))
	assert.Empty(t, s.mustUp().changed())
}

func TestFailedUpgradeStopsLayersAboveAndRunsAgain(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.newArtifact("k3s")
	s.newArtifact("metallb-chart")
	s.fail("create", "k3s-upgrade")
	failed := s.up()
	require.Error(t, failed.err)
	assert.Contains(t, toldAbout(failed, "k3s-upgrade"), "made to fail")
	assert.NotContains(t, failed.actions.names("update"), "metallb-release")
	s.heal("create", "k3s-upgrade")
	next := s.mustUp().actions
	assert.True(t, next.before("create", "k3s-upgrade", "update", "metallb-release"))
}

// When a host replaces a dead one of the same name, the dead node must be removed before the host
// joins. The gate of the node set must run after the join.
func TestReplacedServerIsAdmittedBeforeInstall(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	nodes := s.config["strata:hosts"]["nodes"].([]any)
	moved := maps.Clone(nodes[2].(map[string]any))
	require.Equal(t, "server-3", moved["name"])
	moved["address"] = "10.10.0.19"
	s.set("hosts", "nodes", append(append(slices.Clone(nodes[:2]), moved), nodes[3:]...))
	did := s.mustUp().actions
	assert.True(t, did.before("create", "hosts-server-3-gate", "update", "k3s-server-3-admission"))
	assert.True(t, did.before("update", "k3s-server-3-admission", "create", "k3s-server-3-install"))
	assert.True(t, did.before("create", "k3s-server-3-gate", "create", "k3s-nodes"))
	assert.NotContains(t, did.names("delete"), "k3s-server-3-claim", "its old host is gone")
	assert.Empty(t, s.mustUp().changed())
}

// The gate of each host refuses a version to which K3s cannot upgrade. Until it passes, no file may
// be copied to a host.
func TestHostThatRefusesVersionGetsNoBinary(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.newArtifact("k3s", "v1.99.0+k3s1")
	for _, node := range []string{"server-1", "server-2", "server-3", "agent-1", "agent-2"} {
		s.fail("create", "hosts-"+node+"-gate")
	}
	failed := s.up()
	require.Error(t, failed.err)
	assert.Empty(t, failed.actions.ending("create", "-binary"))
	assert.NotContains(t, failed.actions.names("create"), "k3s-upgrade")
}

func TestNewChartRunsWebhookGateAgain(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.newArtifact("metallb-chart")
	did := s.mustUp().actions
	assert.True(t, did.before("update", "metallb-release", "create", "metallb-webhook"))
	assert.NotContains(t, did.names("update"), "metallb-pool")
	assert.Empty(t, did.names("delete"))
	assert.NotEqual(t, resource.URN(""), s.stored()["metallb-pool"].URN)
}

func TestEnabledLayerPushesItsImagesWithoutNodeRestart(t *testing.T) {
	s := newStack(t, "staging")
	s.set("argocd", "enabled", false)
	s.mustUp()
	s.set("argocd", "enabled", true)
	did := s.mustUp().actions
	for _, node := range []string{"server-1", "server-2", "server-3"} {
		assert.True(t, did.before("create", "k3s-"+node+"-images-argocd-chart-0", "create",
			"argocd-release"), node)
	}
	assert.Contains(t, did.names("create"), "k3s-agent-2-images-argocd-chart-0")
	assert.ElementsMatch(t, []string{firstGuard, guard}, did.names("update"),
		"what runs goes on; the guards know one namespace more")
	assert.Empty(t, did.names("delete"))
}

// An agent that joined through a removed server restarts. So its gate must run again.
func TestAgentGateRunsAgainWhenServersAreRemoved(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.removeNodes("server-2", "server-3")
	did := s.mustUp().actions
	for _, node := range []string{"server-1", "agent-1", "agent-2"} {
		assert.True(t, did.before("create", "k3s-"+node+"-install", "create",
			"k3s-"+node+"-gate"), node)
	}
	assert.Empty(t, s.mustUp().changed())
}
