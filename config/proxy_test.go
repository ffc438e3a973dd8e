package config_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// proxied returns a configuration with strata:k3s.proxy.
func proxied(t *testing.T, proxy config.Proxy) map[string]string {
	t.Helper()
	section, err := json.Marshal(map[string]any{"proxy": proxy})
	require.NoError(t, err)
	raw := good()
	raw["k3s"] = string(section)
	return raw
}

func TestValidNodeProxyIsAccepted(t *testing.T) {
	for _, given := range []config.Proxy{
		{HTTPS: "http://proxy.example.org:3128"},
		{HTTP: "https://me:hunter2%3B@10.0.0.9:3128/", HTTPS: "https://[fd00::9]:3128",
			NoProxy: []string{"registry.example.org", ".example.org", "10.20.0.0/16", "10.0.0.9",
				"fd00::/8"}},
	} {
		cfg, err := config.Load("dev", proxied(t, given), noEnv)
		require.NoError(t, err)
		assert.Equal(t, given, cfg.K3s.Proxy)
		assert.True(t, cfg.K3s.Proxy.IsSet())
	}
	assert.False(t, config.Proxy{}.IsSet())
}

func TestProxyErrorsHideAddress(t *testing.T) {
	for _, bad := range []string{
		"me:hunter2@proxy.example.org", "socks5://me:hunter2@proxy.example.org", "http:///hunter2",
		"http://proxy.example.org/hunter2",
		"http://proxy.example.org?hunter2", "http://proxy.example.org#hunter2",
		"http://me:hunter2'@proxy.example.org", "http://me:hunter2$@proxy.example.org",
	} {
		_, err := config.Load("dev", proxied(t,
			config.Proxy{HTTP: bad, HTTPS: bad,
				NoProxy: []string{"https://example.org", "*", "a b"}}), noEnv)
		for _, want := range []string{
			"strata:k3s.proxy.http: is not the address of an HTTP proxy; write for example " +
				"http://proxy.example.org:3128",
			"strata:k3s.proxy.https: is not the address of an HTTP proxy",
			"strata:k3s.proxy.noProxy[0]: https://example.org is not a DNS name",
			"strata:k3s.proxy.noProxy[1]: * is not", "strata:k3s.proxy.noProxy[2]: a b is not",
		} {
			require.ErrorContains(t, err, want, bad)
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
	_, err := config.Load("dev", proxied(t, config.Proxy{NoProxy: []string{"example.org"}}), noEnv)
	require.ErrorContains(t, err, "strata:k3s.proxy.noProxy: example.org is set, and no proxy "+
		"is; set k3s.proxy.https, or remove it")
}

func TestFromPulumiRefusesUnencryptedProxyPassword(t *testing.T) {
	raw := proxied(t, config.Proxy{HTTPS: "http://me:hunter2@proxy.example.org:3128"})
	_, err := fromPulumi(t, raw)
	require.ErrorContains(t, err, "strata:k3s.proxy.https: has a user or a password in it, and "+
		"is not encrypted; run: pulumi config set --secret --path strata:k3s.proxy.https")
	assert.NotContains(t, err.Error(), "hunter2")
	cfg, err := fromPulumi(t, raw, "strata:k3s")
	require.NoError(t, err)
	assert.Equal(t, "http://me:hunter2@proxy.example.org:3128", cfg.K3s.Proxy.HTTPS)
	_, err = fromPulumi(t, proxied(t, config.Proxy{HTTPS: "http://proxy.example.org:3128"}))
	require.NoError(t, err, "an address without a login is no secret")
}

func TestEncryptedProxyIsReadAsPlaceholder(t *testing.T) {
	const text = "config:\n  strata:hosts: {driver: existing, subnet: 10.10.0.0/24, nodes: " +
		"[{name: a, role: server, address: 10.10.0.11}]}\n" +
		"  strata:metallb: {addresses: [10.10.0.200-10.10.0.210]}\n  strata:k3s: {proxy: {https: " +
		"{secure: v1:abc}, noProxy: [example.org]}}\n"
	cfg, err := config.OfText("dev", "Pulumi.dev.yaml", []byte(text))
	require.NoError(t, err)
	assert.Equal(t, config.Sealed, cfg.K3s.Proxy.HTTPS)
}
