package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// onCluster returns the sections of a valid stack on an existing cluster. sections are names and
// texts in turn: each text replaces that of its section.
func onCluster(sections ...string) map[string]string {
	raw := map[string]string{"cluster": `{"context":"kind-kind"}`,
		"metallb": `{"addresses":["172.18.255.200-172.18.255.250"]}`}
	for i := 0; i < len(sections); i += 2 {
		raw[sections[i]] = sections[i+1]
	}
	return raw
}

func TestStackOnExistingClusterNeedsNoK3sArtifacts(t *testing.T) {
	cfg, err := config.Load("dev", onCluster("hosts", "{}"), noEnv)
	require.NoError(t, err)
	assert.True(t, cfg.OnExistingCluster())
	assert.NotContains(t, cfg.NeededArtifacts(), config.ArtifactK3s, "nothing of K3s is installed")
	assert.NotContains(t, cfg.NeededArtifacts(), config.ArtifactK3sImages)
	assert.Contains(t, cfg.NeededArtifacts(), config.ArtifactMetalLBChart)
	assert.False(t, cfg.PodNetwork().IsValid(), "it is not configured")
	assert.False(t, cfg.Cluster.NetworkPolicies, "nothing changes who reaches what")

	ours, err := config.Load("dev", good(), noEnv)
	require.NoError(t, err)
	assert.False(t, ours.OnExistingCluster())
	assert.Equal(t, ours.K3s.ClusterCIDR, ours.PodNetwork())
}

func TestExistingClusterRulesReportKeyValueRuleAndFix(t *testing.T) {
	const remove = "; remove it, or remove the section cluster"
	const whose = " is not read: the cluster of cluster.context kind-kind is an existing cluster"
	for name, rule := range map[string]struct {
		raw  map[string]string
		want string
	}{
		"no context": {onCluster("cluster", `{"kubeconfig":"kind.yaml"}`),
			"strata:cluster.context: is not set, and the kubeconfig's current context is not " +
				"read: whose cluster an up changes must be configured; " +
				"name one; `kubectl config get-contexts` lists them"},
		"hosts beside a cluster": {onCluster("hosts", good()["hosts"]),
			"strata:hosts: is set beside the section cluster, and a stack builds a cluster or " +
				"uses an existing one; remove hosts, or remove the section cluster"},
		"a version of K3s": {onCluster("k3s", `{"version":"v1.36.3+k3s1"}`),
			`strata:k3s.version: "v1.36.3+k3s1"` + whose + remove},
		"a virtual address of the API": {onCluster("k3s", `{"vip":"10.10.0.9"}`),
			`strata:k3s.vip: "10.10.0.9"` + whose + remove},
		"snapshots": {onCluster("k3s", `{"snapshots":{"retention":9}}`),
			"strata:k3s.snapshots:" + whose + remove},
		"network policies of K3s": {onCluster("k3s", `{"networkPolicies":true}`),
			"strata:k3s.networkPolicies: true" + whose + remove},
		"an upgrade concurrency": {onCluster("upgrade", `{"concurrency":2}`),
			"strata:upgrade.concurrency: 2" + whose + remove},
		"no addresses": {onCluster("metallb", `{}`),
			"strata:metallb.addresses: is empty; give at least one range of the nodes' network " +
				"that nothing else uses (docs/existing-clusters.md says how to find one)"},
		"a pool that overlaps the Pod network": {onCluster("cluster",
			`{"context":"kind-kind","podNetwork":"172.18.0.0/16"}`),
			"strata:metallb.addresses[0]: 172.18.255.200-172.18.255.250 overlaps " +
				"cluster.podNetwork 172.18.0.0/16; choose a range that nothing else uses"},
		"a pool that overlaps the Service network": {onCluster("cluster",
			`{"context":"kind-kind","serviceNetwork":"172.18.0.0/16"}`),
			"strata:metallb.addresses[0]: 172.18.255.200-172.18.255.250 overlaps " +
				"cluster.serviceNetwork 172.18.0.0/16; choose a range that nothing else uses"},
		"overlapping networks": {onCluster("cluster",
			`{"context":"kind-kind","podNetwork":"10.0.0.0/8","serviceNetwork":"10.96.0.0/16"}`),
			"strata:cluster.serviceNetwork: 10.96.0.0/16 overlaps cluster.podNetwork 10.0.0.0/8; check both"},
		"a network with host bits": {onCluster("cluster",
			`{"context":"kind-kind","podNetwork":"10.244.0.1/16"}`),
			"strata:cluster.podNetwork: 10.244.0.1/16 has bits set behind its prefix; write 10.244.0.0/16"},
		"APISIX without the Pods' network": {onCluster("ingress", `{"controllers":["apisix"]}`),
			"strata:cluster.podNetwork: is not set, and APISIX's admin API is open to the addresses of Pods only; " +
				"set the network of the cluster's Pods: kind has 10.244.0.0/16, k3d 10.42.0.0/16"},
		"a misspelt key": {onCluster("cluster", `{"contxt":"kind-kind"}`),
			"strata:cluster.contxt: is not a known key; did you mean context?"},
		"a number for a text": {onCluster("cluster", `{"context":7}`),
			"strata:cluster.context: is not a text; write it in quotes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load("dev", rule.raw, noEnv)
			require.Error(t, err)
			assert.Equal(t, rule.want, err.Error())
		})
	}
}

func TestRulesForK3sDoNotApplyToExistingCluster(t *testing.T) {
	_, err := config.Load("dev", onCluster("ingress", `{"controllers":["traefik","apisix"]}`,
		"cluster", `{"context":"c","podNetwork":"10.244.0.0/16"}`), noEnv)
	require.NoError(t, err)

	_, err = config.Load("dev", map[string]string{"hosts": "{}", "cluster": "{}",
		"metallb": `{"enabled":false}`}, noEnv)
	require.Error(t, err, "neither hosts nor a cluster")
	assert.ErrorContains(t, err, "cluster.context")
}
