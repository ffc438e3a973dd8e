package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/nettest"
)

func TestPreflightReportsMissingKeyFileBeforeContactingHosts(t *testing.T) {
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
	for _, stack := range []string{"staging", "org/strata/staging"} {
		code, _, stderr := invoke(t, "", "preflight", "-s", stack, "--project", project)
		assert.Equal(t, 2, code)
		assert.Contains(t, stderr, "strata:hosts.ssh.keyFile: no-such-key cannot be read")
	}
}

func TestPreflightRefusesStackWithESCEnvironment(t *testing.T) {
	code, stdout, stderr := invoke(t, "", "preflight", "--stack", "dev", "--project",
		project(t, oneServer+environment))
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "environment: has values of Pulumi ESC")
	assert.Contains(t, stderr, "--config-file")
	assert.Empty(t, stdout)
}

func TestPreflightReportsMissingContextBeforeContactingCluster(t *testing.T) {
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

// The SSH agent logs in, so no key file is needed. The host does not answer.
func TestPreflightAndOwnerReportUnreadableKnownHostsLine(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(project, "known"), []byte("broken\n127.0.0.1 "+
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGLBFXKfTDEUfdMClKcSBE8wSUzUuUQTwAcPqmxTNcKp\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(project, "Pulumi.staging.yaml"), []byte(`
config:
  strata:hosts:
    driver: existing
    subnet: 127.0.0.0/24
    ssh: {agent: true, knownHosts: known, port: `+strconv.Itoa(nettest.Closed(t).Number())+`}
    nodes: [{name: server-1, role: server, address: 127.0.0.1}]
  strata:metallb: {addresses: [127.0.0.200/29]}
`), 0o600))
	(&hypervisorStack{t: t}).knows("c1")
	for _, command := range [][]string{{"preflight", "--timeout", "1s"}, {"owner", "server-1"}} {
		_, stdout, stderr := invoke(t, "", append(command, "--stack", "staging", "--project", project)...)
		assert.Contains(t, stdout+stderr, "known line 1 cannot be read", command)
	}
}
