package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestEnvironmentProxyForServersIsRefused(t *testing.T) {
	cfg, err := config.Load("dev", good(), noEnv)
	require.NoError(t, err)
	const proxy = "http://me:hunter2@proxy.example.org:3128"
	for name, c := range map[string]struct {
		environment map[string]string
		// wrong is the variable that is refused; empty if none is.
		wrong string
	}{
		"no proxy":               {nil, ""},
		"a proxy for everything": {map[string]string{"HTTPS_PROXY": proxy}, "HTTPS_PROXY"},
		"in small letters": {map[string]string{"https_proxy": proxy,
			"no_proxy": "example.org"}, "https_proxy"},
		"not for the hosts' network": {map[string]string{"HTTPS_PROXY": proxy,
			"NO_PROXY": "example.org,10.10.0.0/24"}, ""},
		"not for a network around it": {map[string]string{"https_proxy": proxy,
			"no_proxy": "10.0.0.0/8"}, ""},
		"not for another network": {map[string]string{"HTTPS_PROXY": proxy,
			"NO_PROXY": "10.99.0.0/24"}, "HTTPS_PROXY"},
		"for http alone": {map[string]string{"HTTP_PROXY": proxy}, ""},
		"for nothing": {map[string]string{"HTTPS_PROXY": proxy,
			"NO_PROXY": "*"}, ""},
	} {
		err := cfg.CheckEnvironment(func(name string) string { return c.environment[name] })
		if c.wrong == "" {
			assert.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.wrong+
			": is set in this environment, and what is for the API server "+
			"https://10.10.0.11:6443 would go through that proxy; add 10.10.0.0/24 to the variable NO_PROXY", name)
		assert.NotContains(t, err.Error(), "hunter2", name)
	}
}

// With a virtual address, the kubeconfig names no server's address.
func TestEnvironmentProxyForVIPIsRefused(t *testing.T) {
	raw := good()
	raw["k3s"] = `{"vip": "10.10.0.5"}`
	cfg, err := config.Load("dev", raw, noEnv)
	require.NoError(t, err)
	environment := map[string]string{"HTTPS_PROXY": "http://proxy.example.org:3128",
		"NO_PROXY": "10.10.0.11,10.10.0.12,10.10.0.13"}
	get := func(name string) string { return environment[name] }
	require.ErrorContains(t, cfg.CheckEnvironment(get), "https://10.10.0.5:6443")
	environment["NO_PROXY"] += ",10.10.0.5"
	require.NoError(t, cfg.CheckEnvironment(get))
}

// If a kubeconfig names a proxy, no client uses the environment's proxy.
func TestEnvironmentProxyIsAcceptedWithTunnel(t *testing.T) {
	raw := good()
	cfg, err := config.Load("dev", raw, noEnv)
	require.NoError(t, err)
	cfg.Hosts.SSH.DynamicForward = 6400
	environment := map[string]string{"HTTPS_PROXY": "http://proxy.example.org:3128"}
	require.NoError(t, cfg.CheckEnvironment(func(name string) string { return environment[name] }))
}
