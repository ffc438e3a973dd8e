package config_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// good returns the sections of a valid stack. A test changes some of them.
func good() map[string]string {
	return map[string]string{
		"hosts": `{"driver":"existing","subnet":"10.10.0.0/24","nodes":[
			{"name":"server-1","role":"server","address":"10.10.0.11"},
			{"name":"agent-1","role":"agent","address":"10.10.0.21"}]}`,
		"metallb": `{"addresses":["10.10.0.200-10.10.0.210"]}`,
	}
}

func noEnv(string) string { return "" }

func TestEveryCommittedStackFileLoads(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	paths, err := filepath.Glob("../Pulumi.*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			cfg, err := config.FromFile(path)
			require.NoError(t, err)
			assert.Contains(t, path, cfg.Stack)
		})
	}
}

func TestUnsetKeysGetDefaults(t *testing.T) {
	cfg, err := config.Load("dev", good(), noEnv)
	require.NoError(t, err)
	assert.Equal(t, "dev", cfg.Stack)
	assert.Equal(t, config.SSH{User: "root", Port: 22, KeyFile: "~/.ssh/id_ed25519"}, cfg.Hosts.SSH)
	assert.Equal(t, "vmbr0", cfg.Hosts.Proxmox.Bridge)
	assert.Equal(t, netip.MustParsePrefix("10.42.0.0/16"), cfg.K3s.ClusterCIDR)
	assert.Equal(t, netip.MustParsePrefix("10.43.0.0/16"), cfg.K3s.ServiceCIDR)
	assert.Equal(t, []string{"traefik", "servicelb", "gateway-api-crd"}, cfg.K3s.Disable)
	assert.True(t, *cfg.K3s.SecretsEncryption)
	assert.True(t, *cfg.MetalLB.Enabled)
	assert.Empty(t, cfg.K3s.Version, "an unset version follows the bundle or the pin")
	assert.Equal(t, "upstream", cfg.Artifacts.Source)
	assert.Equal(t, 10*time.Minute, cfg.Timeouts.API.Duration)
	assert.Equal(t, 2*time.Minute, cfg.Timeouts.MetalLBPool.Duration)
}

func TestSetKeysReplaceDefaults(t *testing.T) {
	raw := good()
	raw["k3s"] = `{"disable":["servicelb","traefik"],"secretsEncryption":false,"serverArgs":{"kubelet-arg":["max-pods=50"],"v":2}}`
	raw["timeouts"] = `{"api":"90s"}`
	cfg, err := config.Load("dev", raw, noEnv)
	require.NoError(t, err)
	assert.Equal(t, []string{"servicelb", "traefik"}, cfg.K3s.Disable)
	assert.False(t, *cfg.K3s.SecretsEncryption)
	assert.Equal(t, map[string]any{"kubelet-arg": []any{"max-pods=50"}, "v": int64(2)},
		cfg.K3s.ServerArgs)
	assert.Equal(t, 90*time.Second, cfg.Timeouts.API.Duration)
	assert.Equal(t, 10*time.Minute, cfg.Timeouts.Nodes.Duration)
}

func TestNetworkPoliciesAreOffByDefaultIfK3sEnforcesNone(t *testing.T) {
	for k3s, want := range map[string]bool{
		`{}`:                        true,
		`{"networkPolicies":false}`: false,
		`{"serverArgs":{"disable-network-policy":true}}`:                          false,
		`{"serverArgs":{"disable-network-policy":"true"}}`:                        false,
		`{"serverArgs":{"disable-network-policy":false}}`:                         true,
		`{"networkPolicies":true,"serverArgs":{"disable-network-policy":true}}`:   true,
		`{"networkPolicies":false,"serverArgs":{"disable-network-policy":false}}`: false,
	} {
		raw := good()
		raw["k3s"] = k3s
		cfg, err := config.Load("dev", raw, noEnv)
		require.NoError(t, err)
		assert.Equal(t, want, *cfg.K3s.NetworkPolicies, k3s)
	}
}

func TestNullOrEmptyKeyGetsDefault(t *testing.T) {
	raw := good()
	raw["k3s"] = `{"disable":null,"clusterCIDR":null}`
	raw["timeouts"] = ""
	raw["artifacts"] = "null"
	cfg, err := config.Load("dev", raw, noEnv)
	require.NoError(t, err)
	assert.Equal(t, []string{"traefik", "servicelb", "gateway-api-crd"}, cfg.K3s.Disable)
	assert.Equal(t, "upstream", cfg.Artifacts.Source)
}

func TestVMGatewayDefaultsToFirstSubnetAddress(t *testing.T) {
	raw := good()
	raw["hosts"] = machines("")["hosts"]
	cfg, err := config.Load("dev", raw, noEnv)
	require.NoError(t, err)
	assert.Equal(t, netip.MustParseAddr("10.10.0.1"), cfg.Hosts.VM.Gateway)
	assert.Empty(t, cfg.Hosts.SSH.KeyFile)
	assert.Empty(t, cfg.Hosts.Nodes[0].SSH.KeyFile)
}

func TestNodeSSHValuesOverrideSharedOnes(t *testing.T) {
	raw := good()
	raw["hosts"] = `{"driver":"existing","subnet":"10.10.0.0/24","ssh":{"user":"admin","keyFile":"keys/all"},"nodes":[
		{"name":"server-1","role":"server","address":"10.10.0.11","ssh":{"port":2222,"keyFile":"keys/one"}},
		{"name":"agent-1","role":"agent","address":"10.10.0.21"}]}`
	cfg, err := config.Load("dev", raw, noEnv)
	require.NoError(t, err)
	assert.Equal(t, config.SSH{User: "admin", Port: 2222, KeyFile: "keys/one"},
		cfg.Hosts.Nodes[0].SSH)
	assert.Equal(t, config.SSH{User: "admin", Port: 22, KeyFile: "keys/all"},
		cfg.Hosts.Nodes[1].SSH)
}

func TestEnvironmentVariableOverridesArtifactSource(t *testing.T) {
	raw := good()
	raw["artifacts"] = `{"source":"upstream"}`
	getenv := func(name string) string {
		return map[string]string{config.ArtifactsVariable: "/srv/bundle"}[name]
	}
	cfg, err := config.Load("dev", raw, getenv)
	require.NoError(t, err)
	assert.Equal(t, "/srv/bundle", cfg.Artifacts.Source)
}

func TestLoadOfMarshaledConfigGivesSameConfig(t *testing.T) {
	first, err := config.Load("dev", good(), noEnv)
	require.NoError(t, err)
	raw := map[string]string{}
	for name, section := range map[string]any{
		"hosts": first.Hosts, "k3s": first.K3s, "metallb": first.MetalLB,
		"artifacts": first.Artifacts, "timeouts": first.Timeouts,
	} {
		text, err := json.Marshal(section)
		require.NoError(t, err)
		raw[name] = string(text)
	}
	second, err := config.Load("dev", raw, noEnv)
	require.NoError(t, err)
	assert.Equal(t, first, second)
}

func FuzzLoadNeverPanics(f *testing.F) {
	for section, text := range good() {
		f.Add(section, text, "hosts")
		f.Add(section, text, section)
	}
	f.Add("k3s", `{"serverArgs":{"a":[1,{"b":2}]},"version":1e400}`, "metallb")
	f.Add("metallb", `{"addresses":["::/0","0.0.0.0/0","10.10.0.1-","-","1.1.1.1-::"]}`, "timeouts")
	f.Add("timeouts", `{"api":"-1s","host":9}`, "hots")
	f.Fuzz(func(t *testing.T, section, text, other string) {
		raw := good()
		raw[other] = text
		raw[section] = text
		cfg, err := config.Load("fuzz", raw, noEnv)
		require.Equal(t, err == nil, cfg != nil)
		if err == nil {
			require.NoError(t, cfg.Validate(), "what Load accepts, Validate accepts")
		}
	})
}

func TestMangledInputNeverPanics(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rest := []string{`{"serverArgs":{"a":[1,{"b":2}]},"version":1e400}`,
		`{"addresses":["::/0","0.0.0.0/0","1.1.1.1-::"]}`}
	sections := append(slices.Sorted(maps.Values(good())), rest...)
	pieces := []string{"", "null", "[]", "{}", `"`, ":", ",", "-1", "1e999", "\u0000", "::1", "/33",
		"-", "true", "\xff"}
	for range 20_000 {
		raw := good()
		text := sections[random.IntN(len(sections))]
		for range 1 + random.IntN(3) {
			from := random.IntN(len(text) + 1)
			to := min(len(text), from+random.IntN(12))
			text = text[:from] + pieces[random.IntN(len(pieces))] + text[to:]
		}
		raw[config.Sections()[random.IntN(5)]] = text
		cfg, err := config.Load("fuzz", raw, noEnv)
		require.Equal(t, err == nil, cfg != nil, text)
	}
}

func TestMisspeltKeyNeitherHidesNorCausesOtherErrors(t *testing.T) {
	raw := good()
	raw["metallb"] = `{"adresses":["10.10.0.200-10.10.0.210"],"chartVersion":"latest"}`
	_, err := config.Load("dev", raw, noEnv)
	require.ErrorContains(t, err, "strata:metallb.adresses: is not a known key; did you mean addresses?")
	require.ErrorContains(t, err, "strata:metallb.chartVersion: latest is not a chart version")
	assert.NotContains(t, err.Error(), "is empty", "addresses are there, under another name")

	raw["metallb"] = `{"addresses":["10.10.0.200-10.10.0.210"],"chartversion":7}`
	raw["hosts"] = `{"driver":"existing","subnet":"10.10.0.0","nodes":[{"name":"a","role":"server","address":"10.10.0.11"},{"name":"a","role":"agent","address":"x"}]}`
	_, err = config.Load("dev", raw, noEnv)
	require.ErrorContains(t, err, "hosts.subnet")
	require.ErrorContains(t, err, "hosts.nodes[1].address")
	require.ErrorContains(t, err, "hosts.nodes[1].name",
		"the name is told although the address beside it cannot be read")
	require.ErrorContains(t, err, "chartversion")
}

func TestIngressIsOffByDefaultWithoutCertManager(t *testing.T) {
	cfg, err := config.Load("Dev", good(), noEnv)
	require.NoError(t, err)
	assert.Equal(t, []string{config.ControllerTraefik}, cfg.Ingress.Controllers)
	assert.Equal(t, "dev.strata.test", cfg.Ingress.Domain)
	assert.Equal(t, 1, cfg.CertManager.Replicas)
	assert.Subset(t, cfg.NeededArtifacts(), []string{config.ArtifactCertManagerChart,
		config.ArtifactGatewayCRDs, config.ArtifactTraefikChart})

	raw := good()
	raw["certManager"] = `{"enabled":false}`
	cfg, err = config.Load("dev", raw, noEnv)
	require.NoError(t, err)
	assert.Empty(t, cfg.Ingress.Controllers, "no certificates, no ingress")
	assert.NotContains(t, cfg.NeededArtifacts(), config.ArtifactTraefikChart)
}
