package config_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// withRegistries returns a configuration with strata:k3s.registries, and other keys of strata:k3s.
func withRegistries(
	t *testing.T, others map[string]any, registries ...config.Registry,
) map[string]string {
	t.Helper()
	section := map[string]any{"registries": registries}
	for key, value := range others {
		section[key] = value
	}
	text, err := json.Marshal(section)
	require.NoError(t, err)
	raw := good()
	raw["k3s"] = string(text)
	return raw
}

func TestValidRegistriesAreAccepted(t *testing.T) {
	given := []config.Registry{
		{Name: "docker.io", Mirrors: []string{"https://mirror.example.org/v2/hub",
			"http://10.0.0.9:5000"}, Rewrites: map[string]string{"^library/(.*)": "hub/$1"}},
		{Name: "mirror.example.org", Username: "robot", Password: "hunter2", CA: certificate(t)},
		{Name: "10.0.0.9:5000", InsecureSkipVerify: true}, {Name: "[fd00::9]:5000"}, {Name: "*"},
	}
	cfg, err := config.Load("dev", withRegistries(t, nil, given...), noEnv)
	require.NoError(t, err)
	assert.Equal(t, given, cfg.K3s.Registries)
}

func TestRegistryErrorsAreReportedTogetherWithoutPasswords(t *testing.T) {
	args := map[string]any{"private-registry": "/etc/registries.yaml"}
	appended := map[string]any{"private-registry+": "/etc/registries.yaml"}
	_, err := config.Load("dev", withRegistries(t,
		map[string]any{"serverArgs": args, "agentArgs": appended},
		config.Registry{Name: "https://me:hunter2@docker.io"},
		config.Registry{Name: "quay.io",
			Mirrors: []string{"https://me:hunter2@mirror.example.org", "mirror.example.org",
				"https://mirror.example.org?token=hunter2"}, Rewrites: map[string]string{"(": "x"}},
		config.Registry{Name: "mirror.example.org/hub", Rewrites: map[string]string{"a": "b"}},
		config.Registry{Name: "mirror.example.org:0"}, config.Registry{Name: "quay.io"},
		config.Registry{Name: "a.example.org", Password: "hunter2"},
		config.Registry{Name: "b.example.org", Username: "me"},
		config.Registry{Name: "c.example.org", CA: "hunter2"},
		config.Registry{Name: "d.example.org", CA: certificate(t), InsecureSkipVerify: true},
		config.Registry{},
		config.Registry{Name: "*", Username: "me", Password: "hunter2"},
		config.Registry{Name: "e.example.org", Mirrors: []string{"https://mirror.example.org"},
			Rewrites: map[string]string{`(\w+)`: "x", "a": `b"`, "[.]c": "$1"}},
	), noEnv)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
	const at = "strata:k3s.registries"
	for _, want := range []string{
		at + `[0].name: is not the name of a registry`,
		at + `[1].mirrors[0]: is not an http or https URL without a user and a query`,
		at + `[1].mirrors[1]: is not an http`, at + `[1].mirrors[2]: is not an http`,
		at + `[1].rewrites["("]: is not a regular expression`,
		at + `[2].rewrites: is set, and mirrors is not`,
		at + `[2].name: is not the name`, at + `[3].name: is not the name`,
		at + `[4].name: quay.io has an entry already`,
		at + `[5]: has a username or a password, and not both`,
		at + `[6]: has a username or a password`, at + `[7].ca: is not a certificate in PEM`,
		at + `[8].insecureSkipVerify: true does not look at the certificate`,
		at + `[9].name: is not the name of a registry`,
		at + `[10].name: * is given a login, which no registry gets by that name; write it into an entry with the registry's host, of a mirror its own`,
		at + `[11].rewrites["(\\w+)"]: has a backslash or a double quote, which K3s does not pass on to containerd`, at + `[11].rewrites["a"]: has a backslash or a double quote`,
		`strata:k3s.serverArgs["private-registry"]: names another file than that of k3s.registries`,
		`strata:k3s.agentArgs["private-registry+"]: names another file`,
	} {
		assert.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), "[.]c")
}

// Without registries, K3s may read the user's own file from any path.
func TestPrivateRegistryArgIsAllowedWithoutRegistries(t *testing.T) {
	_, err := config.Load("dev", withRegistries(t,
		map[string]any{"serverArgs": map[string]any{
			"private-registry": "/etc/registries.yaml"}}), noEnv)
	require.NoError(t, err)
}

func TestFromPulumiRefusesUnencryptedRegistryPassword(t *testing.T) {
	raw := withRegistries(t, nil, config.Registry{Name: "mirror.example.org", Username: "robot",
		Password: "hunter2"})
	_, err := fromPulumi(t, raw)
	require.ErrorContains(t, err, `strata:k3s.registries[0].password: is not encrypted; run: pulumi config set --secret --path 'strata:k3s.registries[0].password'`)
	assert.NotContains(t, err.Error(), "hunter2")
	cfg, err := fromPulumi(t, raw, "strata:k3s")
	require.NoError(t, err)
	assert.Equal(t, "hunter2", cfg.K3s.Registries[0].Password)
}

func TestStackFileWithUnencryptedRegistryPasswordIsRefused(t *testing.T) {
	const hosts = "config:\n  strata:hosts: {driver: existing, subnet: 10.10.0.0/24, nodes: " +
		"[{name: a, role: server, address: 10.10.0.11}]}\n  strata:metallb: {addresses: [10.10.0.200-10.10.0.210]}\n"
	const section = "  strata:k3s: {registries: [{name: mirror.example.org, username: robot, password: "
	_, err := config.OfText("dev", "Pulumi.dev.yaml", []byte(hosts+section+"hunter2}]}\n"))
	require.ErrorContains(t, err, `strata:k3s.registries[0].password: is not encrypted`)
	assert.NotContains(t, err.Error(), "hunter2")
	cfg, err := config.OfText("dev", "Pulumi.dev.yaml",
		[]byte(hosts+section+"{secure: v1:abc}}]}\n"))
	require.NoError(t, err)
	assert.Equal(t, config.Sealed, cfg.K3s.Registries[0].Password)
}

// A rule about an object or a list must not quote a password in it.
func TestErrorAboutParentKeyDoesNotShowPassword(t *testing.T) {
	const registries = `{"registries":[{"name":"docker.io","username":"me","password":"hunter2"}]}`
	for name, sections := range map[string]map[string]string{
		"on an existing cluster": onCluster("k3s", registries),
		"an object for a list": goodWith("k3s",
			`{"registries":{"name":"docker.io","password":"hunter2"}}`),
		"a list for an object": goodWith("hosts", `{"ssh":[{"sudoPassword":"hunter2"}]}`),
	} {
		_, err := fromPulumi(t, sections)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "hunter2", name)
	}
}

func goodWith(section, text string) map[string]string {
	raw := good()
	raw[section] = text
	return raw
}
