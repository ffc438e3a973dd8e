package components

import (
	"net/netip"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http/httpproxy"

	"strata/config"
)

const proxyVariables = "etc/rancher/k3s/" + proxyFile

// behindProxy returns the configuration of a cluster whose nodes use a proxy with a login.
func behindProxy(t *testing.T, noProxy ...string) config.K3s {
	t.Helper()
	cfg, err := config.Load("dev", map[string]string{
		"hosts":   `{"driver": "existing", "subnet": "10.10.0.0/24", "nodes": [{"name": "a", "role": "server", "address": "10.10.0.11"}]}`,
		"metallb": `{"addresses": ["10.10.0.200-10.10.0.210"]}`,
		"k3s":     `{"serverArgs": {"cluster-domain": "acme.internal"}}`,
	}, func(string) string { return "" })
	require.NoError(t, err)
	cfg.K3s.Proxy = config.Proxy{HTTPS: "http://me:hunter2%3B@proxy.example.org:3128",
		NoProxy: noProxy}
	return cfg.K3s
}

func TestInstallWritesProxyAndRestartsK3s(t *testing.T) {
	h := newFakeHost(t)
	_, code := h.installWith(config.K3s{})
	require.Zero(t, code)
	assert.NotContains(t, h.read("installer.env"), "PROXY")
	assert.False(t, h.exists(proxyVariables))

	out, code := h.installWith(behindProxy(t, ".corp.example.org"))
	require.Zero(t, code, out)
	assert.True(t, h.restarted("k3s"), "K3s reads it only at start")
	environment := h.read("installer.env")
	assert.Contains(t, environment, "HTTPS_PROXY=http://me:hunter2%3B@proxy.example.org:3128\n")
	assert.Contains(t, environment, "NO_PROXY=localhost,127.0.0.0/8,10.10.0.0/24,10.42.0.0/16,10.43.0.0/16,.svc,.acme.internal,.corp.example.org\n")
	assert.NotContains(t, environment, "HTTP_PROXY=", "none was given")
	info, err := os.Stat(h.path(proxyVariables))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.NotContains(t, out, "hunter2")

	_, code = h.installWith(behindProxy(t, ".corp.example.org"))
	require.Zero(t, code)
	assert.False(t, h.restarted("k3s"), "nothing changed")

	_, code = h.installWith(behindProxy(t))
	require.Zero(t, code)
	assert.True(t, h.restarted("k3s"), "another name without it")

	_, code = h.installWith(config.K3s{})
	require.Zero(t, code)
	assert.False(t, h.exists(proxyVariables))
	assert.True(t, h.restarted("k3s"), "none any more")
	assert.NotContains(t, h.read("installer.env"), "PROXY")
}

// Each of the files appears and disappears independently of the other.
func TestProxyAndRegistriesFilesAreIndependent(t *testing.T) {
	h, both := newFakeHost(t), behindProxy(t)
	both.Registries = someRegistries()
	_, code := h.installWith(both)
	require.Zero(t, code)
	assert.True(t, h.exists(proxyVariables))
	assert.Equal(t, h.rooted(registriesYAML), h.rooted(h.read(registriesFile)))
	assert.Equal(t, configText, h.read(configFile))

	_, code = h.installWith(behindProxy(t))
	require.Zero(t, code)
	assert.True(t, h.exists(proxyVariables))
	assert.False(t, h.exists(registriesFile))

	_, code = h.installWith(config.K3s{Registries: someRegistries()})
	require.Zero(t, code)
	assert.False(t, h.exists(proxyVariables))
	assert.True(t, h.exists(registriesFile))
}

// K3s and containerd follow Go's rules for proxies. By these rules, no request inside the cluster
// goes to the proxy.
func TestClusterTrafficBypassesProxy(t *testing.T) {
	out, code := shell(t, k3sProxy(behindProxy(t), netip.MustParsePrefix("10.10.0.0/24"))+
		`printf '%s' "$NO_PROXY"`, "")
	require.Zero(t, code, out)
	ask := (&httpproxy.Config{HTTPSProxy: "http://proxy.example.org:3128",
		NoProxy: out}).ProxyFunc()
	for address, through := range map[string]bool{
		"https://registry-1.docker.io/v2/": true, "https://10.11.0.1/": true,
		"https://10.10.0.12:6443/": false, "https://10.43.0.1/": false,
		"https://10.42.3.4:9443/": false, "https://127.0.0.1:6443/": false,
		"https://metallb-webhook-service.metallb-system.svc:443/": false,
		"https://kubernetes.default.svc.acme.internal/":           false,
	} {
		to, err := url.Parse(address)
		require.NoError(t, err)
		proxy, err := ask(to)
		require.NoError(t, err)
		assert.Equal(t, through, proxy != nil, address)
	}
}
