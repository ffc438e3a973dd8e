package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
)

// knows puts a fake pulumi first in PATH. It exports a state with the given cluster. If cluster is
// empty, the stack has no state.
func (h *hypervisorStack) knows(cluster string) {
	h.t.Helper()
	bin := h.t.TempDir()
	script := "#!/bin/sh\necho 'no stack named dev' >&2\nexit 1\n"
	if cluster != "" {
		script = fmt.Sprintf(`#!/bin/sh
echo '{"deployment":{"resources":[{"urn":"urn:pulumi:dev::strata::t::k3s-cluster","outputs":{"hex":%q}},{"urn":"urn:pulumi:dev::strata::t::k3s-token","outputs":{"result":"x"}}]}}'
`, cluster)
	}
	require.NoError(h.t, os.WriteFile(filepath.Join(bin, "pulumi"), []byte(script), 0o700))
	h.t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// Two users have the same stack file, but different states. The machines belong to the other user's
// cluster.
func TestForeignMachinesAreReportedAndCanBeTakenOver(t *testing.T) {
	h := newHypervisorStack(t)
	h.write("domains/mail", "<domain/>")
	h.write("volumes/strata-dev-image-0123456789ab.qcow2", "2147483648")
	cfg := h.configure("driver: libvirt\n    libvirt: {bridge: br0}", "10.10.0.21")
	h.cluster = "feed"
	h.up(cfg, hypervisor.Image{SHA256: "0123456789abcdef"}, "")
	domain := filepath.Join(h.dir, "domains/strata-dev-server-1")
	theirs, err := os.ReadFile(domain)
	require.NoError(t, err)
	owner := func(arguments ...string) (int, string) {
		code, stdout, stderr := invoke(t, "",
			append([]string{"owner"}, append(arguments, "--stack", "dev", "--project", h.project)...)...)
		return code, stdout + stderr
	}
	orphans := func(stdin string) (int, string) {
		code, stdout, stderr := invoke(t, stdin, "orphans", "--after-destroy", "--stack", "dev", "--project", h.project)
		return code, stdout + stderr
	}

	h.knows("cafe")
	code, output := h.preflight()
	assert.Equal(t, 1, code)
	assert.Contains(t, output, "node server-1 of stack dev of project strata (cluster feed)")
	assert.Contains(t, output, "strata owner -s dev server-1 --take")
	code, output = orphans(`{"cluster":"cafe"}`)
	assert.Zero(t, code, "they are not this stack's: %s", output)
	code, output = orphans(`{"cluster":"feed"}`)
	assert.Equal(t, 1, code)
	assert.Contains(t, output, "this stack's node server-1 (cluster feed)")
	code, output = owner("server-1")
	require.Zero(t, code, output)
	assert.Contains(t, output, "server-1: the machine is marked as node server-1 of stack dev of "+
		"project strata (cluster feed)\n")
	now, err := os.ReadFile(domain)
	require.NoError(t, err)
	assert.Equal(t, string(theirs), string(now))
	code, output = owner("server-9", "--take")
	assert.Equal(t, 2, code)
	assert.Contains(t, output, "no node is called server-9")

	code, output = owner("server-1", "agent-1", "--take")
	require.Zero(t, code, output)
	assert.Contains(t, output, "agent-1: the machine is marked as node agent-1 of stack dev of "+
		"project strata (cluster feed); it is this stack's now")
	code, output = h.preflight()
	assert.Zero(t, code, output)

	h.knows("")
	code, output = h.preflight()
	assert.Zero(t, code, "whose they are is not known here: %s", output)
	assert.Contains(t, output, "up compares whose it is")
	code, _ = owner("server-1", "--take")
	assert.Equal(t, 1, code, "no state says whose it would be")
	code, output = owner("server-1", "--clear")
	require.Zero(t, code, output)
	assert.Contains(t, output, "the mark is gone now, and the machine keeps running")
	now, err = os.ReadFile(domain)
	require.NoError(t, err)
	assert.NotContains(t, string(now), "cluster=")
	assert.Contains(t, string(now), `stack="dev" node="server-1" state="made"`)
}
