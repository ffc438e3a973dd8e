package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote/sshtest"
)

// pinnedState makes `pulumi` export a state in which an update has pinned a host key for an
// address.
func pinnedState(t *testing.T, name, address, key string) {
	t.Helper()
	standInPulumi(t, fmt.Sprintf(`echo '{"deployment":{"resources":[{"urn":"urn::hosts-%s-hostkey",
"type":"command:local:Command","inputs":{"triggers":["%s"]},"outputs":{"stdout":"%s"}}]}}'`, name, address, key))
}

// standInPulumi puts a script first in PATH as pulumi.
func standInPulumi(t *testing.T, script string) {
	t.Helper()
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "pulumi"),
		[]byte("#!/bin/sh\n"+script+"\n"), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// unpinnedHost returns the folder of a stack whose file pins no host key. ran counts the scripts
// that ran on server, the stack's only host.
func unpinnedHost(t *testing.T) (project string, server *sshtest.Server, ran *atomic.Int32) {
	t.Helper()
	project, server, ran = t.TempDir(), sshtest.Start(t), &atomic.Int32{}
	server.Handler = func(sshtest.Call) int {
		ran.Add(1)
		return 1
	}
	require.NoError(t, os.WriteFile(filepath.Join(project, "key"), server.PrivateKey(), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(project, "Pulumi.dev.yaml"), fmt.Appendf(nil, `
config:
  strata:hosts:
    driver: existing
    subnet: 127.0.0.0/8
    ssh: {user: root, keyFile: key, port: %d}
    nodes: [{name: server-1, role: server, address: 127.0.0.1}]
  strata:metallb: {addresses: [127.0.1.200/29]}
`, server.Target().Port), 0o600))
	return project, server, ran
}

func TestHostKeyThatDiffersFromStateIsRefused(t *testing.T) {
	project, _, ran := unpinnedHost(t)
	pinnedState(t, "server-1", "127.0.0.1", sshtest.New(t).HostKey())
	for _, command := range [][]string{{"preflight"}, {"owner", "server-1"}} {
		code, stdout, stderr := invoke(t, "",
			append(command, "--stack", "dev", "--project", project)...)
		assert.Equal(t, 1, code)
		assert.Contains(t, stdout+stderr, "SHA256:")
	}
	assert.Zero(t, ran.Load())
}

// An unreadable state may contain a host's pinned key. Without that key, any host would be trusted.
func TestHostsAreNotContactedWhenStateIsUnreadable(t *testing.T) {
	project, _, ran := unpinnedHost(t)
	standInPulumi(t, "echo 'the backend is away' >&2; exit 1")
	for _, command := range [][]string{{"preflight"}, {"owner", "server-1"}} {
		code, _, stderr := invoke(t, "", append(command, "--stack", "dev", "--project", project)...)
		assert.Equal(t, 2, code)
		assert.Contains(t, stderr, "the backend is away")
		assert.Contains(t, stderr, "pulumi login")
		assert.Contains(t, stderr, "strata:hosts.ssh.knownHosts")
	}
	assert.Zero(t, ran.Load())
}

func TestHostIsContactedWhenStackHasNoState(t *testing.T) {
	project, _, ran := unpinnedHost(t)
	standInPulumi(t, "echo 'error: no stack named dev found' >&2; exit 255")
	_, _, stderr := invoke(t, "", "owner", "server-1", "--stack", "dev", "--project", project)
	assert.NotContains(t, stderr, "pulumi")
	assert.NotZero(t, ran.Load())
}

func TestHypervisorKeyThatDiffersFromStateIsRefused(t *testing.T) {
	h, server, hosts := onPVE(t)
	h.configure(hosts, "10.10.0.21")
	pinnedState(t, "hypervisor", server.Target().Address, sshtest.New(t).HostKey())
	code, output := h.preflight()
	assert.Equal(t, 1, code)
	assert.Contains(t, output, "SHA256:")
	code, stdout, stderr := invoke(t, "", "owner", "server-1", "--stack", "dev", "--project",
		h.project)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout+stderr, "SHA256:")
}
