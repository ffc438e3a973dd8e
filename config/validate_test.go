package config_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// rule replaces sections of a valid configuration. Load must fail with exactly the text want.
type rule struct {
	name   string
	change map[string]string
	want   string
}

// rules has every rule.
var rules = slices.Concat(readingRules, hostsRules, nodesRules, vmRules, k3sRules, layersRules,
	metallbRules, timeoutRules, artifactRules, workloadRules, valuesRules, refusedRules, acmeRules)

func TestEachRuleReportsKeyValueRuleAndFix(t *testing.T) {
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			raw := good()
			maps.Copy(raw, rule.change)
			_, err := config.Load("dev", raw, noEnv)
			require.Error(t, err)
			assert.Equal(t, rule.want, err.Error())
		})
	}
}

func TestPoolOverlappingVMGatewayIsRefused(t *testing.T) {
	raw := machines("")
	raw["metallb"] = `{"addresses":["10.10.0.1-10.10.0.5"]}`
	_, err := config.Load("dev", raw, noEnv)
	assert.EqualError(t, err, "strata:metallb.addresses[0]: 10.10.0.1-10.10.0.5 overlaps hosts.vm.gateway 10.10.0.1; "+
		"choose a range that nothing else uses")
}

func TestPoolOverlappingClusterNetworkIsRefused(t *testing.T) {
	raw := good()
	raw["metallb"] = `{"addresses":["10.42.0.0/24"]}`
	_, err := config.Load("dev", raw, noEnv)
	assert.ErrorContains(t, err, "overlaps k3s.clusterCIDR 10.42.0.0/16")
	raw["metallb"] = `{"addresses":["10.43.7.1-10.43.7.9"]}`
	_, err = config.Load("dev", raw, noEnv)
	assert.ErrorContains(t, err, "overlaps k3s.serviceCIDR 10.43.0.0/16")
}

func TestAllMistakesAreReportedSortedByKey(t *testing.T) {
	_, err := config.Load("dev", map[string]string{
		"timeouts": `{"apii":"1m"}`,
		"hosts": `{"driver":"existing","subnet":"10.10.0.0/24","nodes":[` + agent1 + `,` +
			agent1 + `]}`,
		"metallb": `{"addresses":["10.9.0.0/24"]}`,
		"k3s":     `{"version":"1.36","disable":[]}`,
	}, noEnv)
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	assert.Len(t, lines, 8)
	assert.True(t, slices.IsSorted(lines), err.Error())
	for _, line := range lines {
		assert.Regexp(t, `^strata:[a-z0-9]+\.`, line)
	}
}

func TestValidationErrorIsProblemWithKeyAndValue(t *testing.T) {
	raw := good()
	raw["k3s"] = `{"version":"1.36"}`
	_, err := config.Load("dev", raw, noEnv)
	var problem config.Problem
	require.ErrorAs(t, err, &problem)
	assert.Equal(t, "strata:k3s.version", problem.Key)
	assert.Equal(t, "1.36", problem.Value)
}

func TestMisspeltRequiredKeyIsReportedOnce(t *testing.T) {
	raw := good()
	raw["metallb"] = `{"adresses":["10.10.0.200-10.10.0.210"]}`
	_, err := config.Load("dev", raw, noEnv)
	assert.EqualError(t, err, "strata:metallb.adresses: is not a known key; did you mean addresses?")
}

func TestValidSettingsAreAccepted(t *testing.T) {
	cases := map[string]map[string]string{
		"three servers": hosts(server1, `{"name":"server-2","role":"server","address":"10.10.0.12"}`,
			`{"name":"server-3","role":"server","address":"10.10.0.13"}`),
		"labels and taints": node(`"labels":{"topology.kubernetes.io/zone":"a","node.kubernetes.io/x":"","own/b":"c"},
			"taints":["dedicated=db:NoSchedule","gpu:NoExecute","a.b/c=:PreferNoSchedule"]`),
		"a pinned host key": node(`"ssh":{"hostKey":"` + hostKey +
			` root@server-1"}`),
		"a jump host that known_hosts knows": node(
			`"ssh":{"jump":[{"host":"bastion"}],"knownHosts":"known_hosts"}`),
		"a sudo password that one node uses": one("hosts", `{"driver":"existing","subnet":"10.10.0.0/24","ssh":{"sudoPassword":"x"},"nodes":[
			{"name":"server-1","role":"server","address":"10.10.0.11","ssh":{"user":"ops"}},{"name":"agent-1","role":"agent","address":"10.10.0.21"}]}`),
		"an ssh_config": node(`"ssh":{"config":"~/.ssh/config"}`),
		"certificate names": one("k3s",
			`{"tlsSANs":["api.example.org","10.0.0.1","fd00::1"]}`),
		"further arguments": one("k3s",
			`{"serverArgs":{"kubelet-arg":["max-pods=50"],"debug":true,"v":3,"kubelet-arg+":"a=b","kube-scheduler-arg":"secure-port=10259"}}`),
		"each kind of flag": one("k3s", `{"serverArgs":{"l":"/var/log/k3s","kine-tls":false,"flannel-backend":"host-gw"},
			"agentArgs":{"log":"/var/log/k3s","disable-apiserver-lb":true}}`),
		"a flag of another K3s": one("k3s",
			`{"version":"v1.37.0+k3s1","serverArgs":{"new-flag":1},"agentArgs":{"flannel-backend":"x"}}`),
		"two ranges": pool("10.10.0.200-10.10.0.207", "10.10.0.208/30"),
		"servicelb without MetalLB": {
			"k3s": `{"disable":["traefik"]}`, "metallb": `{"enabled":false}`,
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			raw := good()
			maps.Copy(raw, change)
			_, err := config.Load("dev", raw, noEnv)
			assert.NoError(t, err)
		})
	}
}
