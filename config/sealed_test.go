package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// ofFile returns the configuration of a stack file with an existing cluster and additional
// sections.
func ofFile(t *testing.T, more string) (*config.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "any.yaml")
	text := "encryptionsalt: v1:abc\nconfig:\n  strata:cluster: {context: kind-kind}\n " +
		" strata:metallb: {addresses: [10.0.0.1-10.0.0.9]}\n" + more
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return config.OfStack(filepath.Dir(file), "dev", file)
}

func TestEncryptedStringsAreReadAsPlaceholders(t *testing.T) {
	cfg, err := ofFile(t, `
  strata:argocd:
    adminPasswordHash: {secure: v1:hunter2}
    root: {repoURL: "https://git.example.org/x.git", path: ., username: me, password: {secure: v1:hunter2}}
  strata:apps:
    workloads: [{name: shop, image: docker.io/a/b:1, secretEnv: {KEY: {secure: v1:hunter2}}}]
`)
	require.NoError(t, err)
	assert.Equal(t, config.Sealed, cfg.ArgoCD.AdminPasswordHash,
		"it is set, and its rule is not asked")
	assert.Equal(t, config.Sealed, cfg.ArgoCD.Root.Password)
	assert.Equal(t, map[string]string{"KEY": config.Sealed}, cfg.Apps.Workloads[0].SecretEnv)
}

func TestEncryptedObjectOrNumberIsRefused(t *testing.T) {
	for _, section := range []string{"strata:apps: {secure: v1:hunter2}", "strata:apps: {workloads: {secure: v1:hunter2}}", "strata:traefik: {replicas: {secure: v1:hunter2}}"} {
		_, err := ofFile(t, "  "+section+"\n")
		require.ErrorContains(t, err, "is encrypted as a whole", section)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

// Commands of strata branch on some of these texts, and open the files that others name.
func TestEncryptedTextsThatCommandsNeedAreRefused(t *testing.T) {
	for key, section := range map[string]string{
		"hosts.driver":                     "hosts: {driver: SEALED}",
		"hosts.arch":                       "hosts: {arch: SEALED}",
		"hosts.nodes[0].role":              "hosts: {nodes: [{role: SEALED}]}",
		"hosts.ssh.keyFile":                "hosts: {ssh: {keyFile: SEALED}}",
		"hosts.ssh.config":                 "hosts: {ssh: {config: SEALED}}",
		"hosts.ssh.hostKey":                "hosts: {ssh: {hostKey: SEALED}}",
		"hosts.ssh.jump[0].keyFile":        "hosts: {ssh: {jump: [{keyFile: SEALED}]}}",
		"k3s.disable":                      "k3s: {disable: [SEALED]}",
		"certManager.issuer":               "certManager: {issuer: SEALED}",
		"ingress.controllers":              "ingress: {controllers: [SEALED]}",
		"traefik.externalTrafficPolicy":    "traefik: {externalTrafficPolicy: SEALED}",
		"artifacts.source":                 "artifacts: {source: SEALED}",
		"apps.workloads[0].name":           "apps: {workloads: [{name: SEALED}]}",
		"apps.workloads[0].routes[0].kind": "apps: {workloads: [{routes: [{kind: SEALED}]}]}",
	} {
		_, err := ofFile(t, "  strata:"+strings.ReplaceAll(section, "SEALED",
			"{secure: v1:hunter2}")+"\n")
		require.ErrorContains(t, err, "strata:"+key+": is encrypted, and only Pulumi can read that; "+
			"write it unencrypted, because commands of strata need it")
	}
	for _, section := range []string{"metallb: {addresses: [{secure: v1:a}]}",
		"cluster: {context: {secure: v1:a}}"} {
		file := filepath.Join(t.TempDir(), "any.yaml")
		require.NoError(t, os.WriteFile(file, []byte("config:\n  strata:"+section+"\n"), 0o600))
		_, err := config.OfStack(filepath.Dir(file), "dev", file)
		require.ErrorContains(t, err, "is encrypted, and only Pulumi can read that")
	}
}

func TestEncryptedStringsAreRefusedOutsideStackFiles(t *testing.T) {
	_, err := config.Load("dev", map[string]string{
		"argocd": `{"adminPasswordHash":{"secure":"v1:abc"}}`}, func(string) string { return "" })
	require.ErrorContains(t, err, "adminPasswordHash: ")
	require.ErrorContains(t, err, "is not a text")
}
