package config_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// withRegistries is a configuration with strata:k3s.registries, and other keys of strata:k3s.
func withRegistries(t *testing.T, registries config.Registries, others map[string]any) map[string]string {
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

func TestRegistriesHaveMirrorsAndLogins(t *testing.T) {
	given := config.Registries{
		Mirrors: map[string]config.RegistryMirror{
			"docker.io": {Endpoints: []string{"https://mirror.example.org/v2/hub", "http://10.0.0.9:5000"}, Rewrites: map[string]string{"^library/(.*)": "hub/$1"}},
			"*":         {},
		},
		Configs: map[string]config.RegistryConfig{
			"mirror.example.org": {Username: "robot", Password: "hunter2", CA: certificate(t)},
			"10.0.0.9:5000":      {InsecureSkipVerify: true}, "[fd00::9]:5000": {}, "*": {},
		},
	}
	cfg, err := config.Load("dev", withRegistries(t, given, nil), noEnv)
	require.NoError(t, err)
	assert.Equal(t, given, cfg.K3s.Registries)
	assert.False(t, cfg.K3s.Registries.IsZero())
	assert.True(t, config.Registries{}.IsZero())
}

func TestMistakesInRegistriesAreSaidTogetherAndWithoutAPassword(t *testing.T) {
	_, err := config.Load("dev", withRegistries(t, config.Registries{
		Mirrors: map[string]config.RegistryMirror{
			"https://docker.io": {}, "quay.io": {
				Endpoints: []string{"https://me:hunter2@mirror.example.org", "mirror.example.org", "https://mirror.example.org?token=hunter2"},
				Rewrites:  map[string]string{"(": "x"},
			},
		},
		Configs: map[string]config.RegistryConfig{
			"mirror.example.org/hub": {}, "mirror.example.org:0": {}, "a.example.org": {Password: "hunter2"}, "b.example.org": {Username: "me"},
			"c.example.org": {CA: "hunter2"}, "d.example.org": {CA: certificate(t), InsecureSkipVerify: true},
		},
	}, map[string]any{"serverArgs": map[string]any{"private-registry": "/etc/registries.yaml"}, "agentArgs": map[string]any{"private-registry": "/etc/registries.yaml"}}), noEnv)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
	const is = "strata:k3s.registries."
	for _, want := range []string{
		is + `mirrors["https://docker.io"]: is not the name of a registry`,
		is + `mirrors["quay.io"].endpoints[0]: is not an http or https URL without a user and a query`,
		is + `mirrors["quay.io"].endpoints[1]: is not an http`, is + `mirrors["quay.io"].endpoints[2]: is not an http`,
		is + `mirrors["quay.io"].rewrites["("]: is not a regular expression`,
		is + `configs["mirror.example.org/hub"]: is not the name of a registry`, is + `configs["mirror.example.org:0"]: is not the name of a registry`,
		is + `configs["a.example.org"]: has a username or a password, and not both`, is + `configs["b.example.org"]: has a username or a password`,
		is + `configs["c.example.org"].ca: is not a certificate in PEM`,
		is + `configs["d.example.org"].insecureSkipVerify: true does not look at the certificate`,
		`strata:k3s.serverArgs["private-registry"]: names another file than that of k3s.registries`, `strata:k3s.agentArgs["private-registry"]: names another file`,
	} {
		assert.ErrorContains(t, err, want)
	}
}

// Without registries, the file that a person has written may be anywhere.
func TestAnotherRegistriesFileIsThePersonsOwn(t *testing.T) {
	_, err := config.Load("dev", withRegistries(t, config.Registries{}, map[string]any{"serverArgs": map[string]any{"private-registry": "/etc/registries.yaml"}}), noEnv)
	require.NoError(t, err)
}

func TestARegistrysPasswordIsASecretOfPulumi(t *testing.T) {
	raw := withRegistries(t, config.Registries{Configs: map[string]config.RegistryConfig{"mirror.example.org": {Username: "robot", Password: "hunter2"}}}, nil)
	_, err := fromPulumi(t, raw)
	require.ErrorContains(t, err, `strata:k3s.registries.configs["mirror.example.org"].password: is not encrypted; run: pulumi config set --secret --path 'strata:k3s.registries.configs["mirror.example.org"].password'`)
	assert.NotContains(t, err.Error(), "hunter2")
	cfg, err := fromPulumi(t, raw, "strata:k3s")
	require.NoError(t, err)
	assert.Equal(t, "hunter2", cfg.K3s.Registries.Configs["mirror.example.org"].Password)
}

func TestARegistrysPasswordIsEncryptedInTheStackFile(t *testing.T) {
	const hosts = "config:\n  strata:hosts: {driver: existing, subnet: 10.10.0.0/24, nodes: [{name: a, role: server, address: 10.10.0.11}]}\n  strata:metallb: {addresses: [10.10.0.200-10.10.0.210]}\n"
	const section = "  strata:k3s: {registries: {configs: {mirror.example.org: {username: robot, password: "
	_, err := config.OfText("dev", "Pulumi.dev.yaml", []byte(hosts+section+"hunter2}}}}\n"))
	require.ErrorContains(t, err, `configs["mirror.example.org"].password: is not encrypted`)
	assert.NotContains(t, err.Error(), "hunter2")
	cfg, err := config.OfText("dev", "Pulumi.dev.yaml", []byte(hosts+section+"{secure: v1:abc}}}}}\n"))
	require.NoError(t, err)
	assert.Equal(t, config.Sealed, cfg.K3s.Registries.Configs["mirror.example.org"].Password)
}
