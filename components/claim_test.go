package components

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	markFile = "var/lib/strata/owner"
	ownMark  = "cluster=00ff\nproject=strata\nstack=dev\nnode=here\n"
)

// whoseHosts has a host for each kind of owner. fails is the text with which the claim is refused;
// empty if the stack may claim the host.
var whoseHosts = map[string]struct {
	has   func(*fakeHost)
	fails string
	// wiped is true if a destroy may wipe the host. code is the destroy's exit code.
	wiped bool
	code  int
}{
	"a host without K3s": {func(*fakeHost) {}, "", true, 0},
	"a host with this node's owner file": {
		func(h *fakeHost) { h.write(markFile, ownMark); h.write(configFile, "token: any\n") }, "",
		true, 0},
	"a host of this stack before it was renamed": {
		func(h *fakeHost) {
			h.write(markFile,
				"cluster=00ff\nproject=old\nstack=old\nnode=here\n")
		}, "", true, 0},
	"K3s without an owner file": {
		func(h *fakeHost) { h.write(configFile, "node-name: here\ntoken: secret\n") }, "", true, 0},
	"K3s without an owner file, whose token is quoted": {
		func(h *fakeHost) { h.write(configFile, "node-name: 'here'\ntoken: \"secret\"\n") }, "",
		true, 0},
	"a host of another cluster": {func(h *fakeHost) {
		h.write(markFile, "cluster=ff00\nproject=shop\nstack=prod\nnode=server-9\n")
		h.write(configFile, "node-name: here\ntoken: secret\n")
	}, "belongs to somebody else (project, stack, node, cluster: shop prod server-9 ff00)",
		false, 0},
	"a host of another cluster with the same project and stack": {
		func(h *fakeHost) {
			h.write(markFile,
				"cluster=ff00\nproject=strata\nstack=dev\nnode=here\n")
		}, "strata dev here ff00", false, 0},
	"a host of another node": {func(h *fakeHost) {
		h.write(markFile,
			"cluster=00ff\nproject=strata\nstack=dev\nnode=agent-1\n")
	}, "expected the host of node here, found that of node agent-1", false, 0},
	"a host of another node without an owner file": {func(h *fakeHost) {
		h.write(configFile,
			"node-name: agent-1\ntoken: secret\n")
	}, "two steps: take agent-1 out", false, 0},
	"K3s with another token": {func(h *fakeHost) {
		h.write(configFile,
			"node-name: here\ntoken: other\n")
	}, "its token is another", false, 1},
	"K3s without a config.yaml": {func(h *fakeHost) {
		h.write("etc/systemd/system/k3s-agent.service", "")
	}, "its token is another", false, 1},
	"etcd data without K3s": {func(h *fakeHost) {
		h.write("var/lib/rancher/k3s/server/db/etcd/member", "")
	}, "its token is another", false, 1},
}

func TestClaimMarksFreeHostAndRefusesForeignHost(t *testing.T) {
	for name, test := range whoseHosts {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t)
			test.has(h)
			before, config := h.read(markFile), h.read(configFile)
			for range 2 { // it can be run again
				out, code := h.run("k3s-claim.sh", "")
				if test.fails == "" {
					require.Zero(t, code, out)
					continue
				}
				assert.Equal(t, 1, code)
				assert.Contains(t, out, test.fails)
			}
			if test.fails != "" {
				assert.Equal(t, before, h.read(markFile))
			} else if before == "" {
				assert.Equal(t, ownMark, h.read(markFile))
			}
			entries, err := os.ReadDir(h.path("var/lib/strata"))
			require.NoError(t, err)
			for _, entry := range entries {
				assert.NotContains(t, entry.Name(), "owner.", "a draft of the mark stays behind")
			}
			assert.Equal(t, config, h.read(configFile))
		})
	}
}

// An install would overwrite another cluster, and an uninstall would remove it.
func TestHostOfOtherStackIsNeitherInstalledNorUninstalled(t *testing.T) {
	for name, test := range whoseHosts {
		if test.fails == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t)
			test.has(h)
			h.write("var/lib/rancher/k3s/data", "users'")
			config := h.read(configFile)
			out, code := h.install("server", "true", "")
			assert.Equal(t, 1, code)
			assert.Contains(t, out, test.fails)
			out, code = h.run("k3s-uninstall.sh", "")
			assert.Equal(t, test.code, code, out)
			assert.Contains(t, out, test.fails)
			assert.Equal(t, config, h.read(configFile))
			assert.Equal(t, "users'", h.read("var/lib/rancher/k3s/data"))
			assert.Empty(t, h.read("systemctl.log"))
		})
	}
}

func TestUninstallRemovesOwnerMarkLast(t *testing.T) {
	h := newFakeHost(t)
	out, code := h.install("server", "true", "")
	require.Zero(t, code, out)
	require.Equal(t, ownMark, h.read(markFile))
	h.write("units", "k3s.service enabled\n")
	out, code = h.run("k3s-uninstall.sh", "")
	require.Equal(t, 1, code, out)
	assert.Equal(t, ownMark, h.read(markFile), "what is still there is still ours")
	h.write("units", "")
	out, code = h.run("k3s-uninstall.sh", "")
	require.Zero(t, code, out)
	assert.False(t, h.exists("var/lib/strata"))
}

// If two stacks claim a host at the same time, only one of them succeeds.
func TestConcurrentClaimIsRefused(t *testing.T) {
	h := newFakeHost(t)
	// The other stack is faster: it writes its mark after this stack has read the file, and before
	// this stack writes its own mark.
	h.tool("mktemp", `printf 'cluster=ff00\nproject=shop\nstack=prod\nnode=server-9\n' > /var/lib/strata/owner; PATH=${PATH#*:} exec mktemp "$@"`)
	out, code := h.run("k3s-claim.sh", "")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "shop prod server-9 ff00")
	assert.Contains(t, h.read(markFile), "cluster=ff00")
}
