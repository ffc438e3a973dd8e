package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPreflightTellsAMissingKeyFileBeforeItAsksAnyHost(t *testing.T) {
	project := t.TempDir()
	file := filepath.Join(project, "Pulumi.staging.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
config:
  strata:hosts:
    driver: existing
    subnet: 10.10.0.0/24
    ssh: {keyFile: no-such-key}
    nodes: [{name: server-1, role: server, address: 10.10.0.11}]
  strata:metallb: {addresses: [10.10.0.200/29]}
`), 0o600))
	code, _, stderr := invoke(t, "", "preflight", "--stack", "staging", "--project", project)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "strata:hosts.ssh.keyFile: no-such-key cannot be read")
}

func TestPreflightIsRefusedWhenTheStackHasAnEnvironment(t *testing.T) {
	code, stdout, stderr := invoke(t, "", "preflight", "--stack", "dev", "--project",
		project(t, oneServer+environment))
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "environment: has values of Pulumi ESC")
	assert.Contains(t, stderr, "--config-file")
	assert.Empty(t, stdout)
}

func TestPreflightTellsAMissingContextBeforeItAsksAnyCluster(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(project, "config"),
		[]byte(kubeconfigOfTwo), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(project, "Pulumi.kind.yaml"), []byte(`
config:
  strata:cluster: {kubeconfig: config, context: three}
  strata:metallb: {addresses: [172.18.255.200-172.18.255.250]}
`), 0o600))
	code, _, stderr := invoke(t, "", "preflight", "--stack", "kind", "--project", project)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "strata:cluster.context: three is no context of config; it has one, two")
}
