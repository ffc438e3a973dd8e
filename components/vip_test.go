package components

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/k3shost"
)

const keepalived = "etc/keepalived/keepalived.conf"

// vipHost returns a server with an address and keepalived installed.
func vipHost(t *testing.T) *fakeHost {
	h := newFakeHost(t)
	h.write("says/ip", "2: eth0    inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0\n")
	h.tool("keepalived", "")
	require.NoError(t, os.MkdirAll(h.path("etc/keepalived"), 0o755))
	return h
}

func (h *fakeHost) vip(peers string) (string, int) {
	return h.run("k3s-vip.sh", "", variable{"NAME", "server-1"}, variable{"ADDRESS", "10.0.0.1"},
		variable{"PEERS", peers}, variable{"VIP", "10.0.0.10"}, variable{"ROUTER", "11"},
		variable{"MARK", keepalivedMark})
}

func (h *fakeHost) noVIP() (string, int) {
	variables := append(ownerVariables(k3shost.Owner{Cluster: "cafe", Project: "strata", Stack: "dev"},
		"server-1"), variable{"MARK", keepalivedMark})
	return h.run("k3s-vip-remove.sh", "", variables...)
}

func TestKeepalivedIsConfiguredAndRestartedOnlyOnChange(t *testing.T) {
	h := vipHost(t)
	out, code := h.vip("10.0.0.2 10.0.0.3")
	require.Zero(t, code, out)
	conf := h.read(keepalived)
	for _, want := range []string{
		"router_id server-1\n", "interface eth0\n", "virtual_router_id 11\n",
		"unicast_src_ip 10.0.0.1\n", "\t\t10.0.0.2\n\t\t10.0.0.3\n", "\t\t10.0.0.10/32\n",
		"nopreempt\n",
	} {
		assert.Contains(t, conf, want)
	}
	check := h.read("etc/keepalived/strata-api-ready.sh")
	assert.Contains(t, check, "/readyz", "that it answers /ping proves nothing about the API")
	info, err := os.Stat(h.path("etc/keepalived/strata-api-ready.sh"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm(),
		"keepalived runs no script that others may write")
	assert.Equal(t, "enable keepalived\nrestart keepalived\n",
		lines(h.read("systemctl.log"), "enable", "restart"))

	_, code = h.vip("10.0.0.2 10.0.0.3")
	require.Zero(t, code)
	assert.Empty(t, lines(h.read("systemctl.log"), "restart"),
		"a restart would move the address for nothing")
	_, code = h.vip("10.0.0.2")
	require.Zero(t, code)
	assert.Equal(t, "restart keepalived\n", lines(h.read("systemctl.log"), "restart"))
}

func TestForeignKeepalivedConfigurationIsNotChanged(t *testing.T) {
	h := vipHost(t)
	h.write(keepalived, "vrrp_instance theirs {}\n")
	out, code := h.vip("10.0.0.2")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "is there and not Strata's; remove it, or take k3s.vip out of the configuration")
	_, code = h.noVIP()
	require.Zero(t, code)
	assert.Equal(t, "vrrp_instance theirs {}\n", h.read(keepalived))
	assert.NotContains(t, h.read("systemctl.log"), "disable")
}

func TestVIPInstallFailsIfNoInterfaceHasNodeAddress(t *testing.T) {
	h := vipHost(t)
	h.write("says/ip", "")
	out, code := h.vip("10.0.0.2")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "no interface has the address 10.0.0.1 of node server-1")
}

func TestVIPRemovalLeavesNoFiles(t *testing.T) {
	h := vipHost(t)
	out, code := h.vip("10.0.0.2")
	require.Zero(t, code, out)
	for range 2 {
		out, code := h.noVIP()
		require.Zero(t, code, out)
	}
	assert.False(t, h.exists(keepalived))
	assert.False(t, h.exists("etc/keepalived/strata-api-ready.sh"))
}

// A run is killed after it has replaced the configuration. keepalived still uses the old one, and
// the file alone does not show that.
func TestKeepalivedIsRestartedAfterInterruptedChange(t *testing.T) {
	h := vipHost(t)
	out, code := h.vip("10.0.0.2 10.0.0.3")
	require.Zero(t, code, out)
	working := h.read("bin/systemctl")
	h.tool("systemctl", `[ "$1" != restart ] || exit 137`)
	_, code = h.vip("10.0.0.2")
	require.NotZero(t, code)
	executable(t, h.path("bin/systemctl"), working)
	out, code = h.vip("10.0.0.2")
	require.Zero(t, code, out)
	assert.Equal(t, "restart keepalived\n", lines(h.read("systemctl.log"), "restart"))
	_, code = h.vip("10.0.0.2")
	require.Zero(t, code)
	assert.Empty(t, lines(h.read("systemctl.log"), "restart"))
}

// Another stack may have taken over a released host, whose keepalived then holds that stack's
// address. The first line of keepalived.conf is the same for all stacks.
func TestVIPRemovalKeepsAddressOfNewOwner(t *testing.T) {
	for name, mark := range map[string]string{
		"another cluster": "cluster=feed\nproject=shop\nstack=prod\nnode=server-1\n",
		"another node":    "cluster=cafe\nproject=strata\nstack=dev\nnode=server-2\n",
	} {
		t.Run(name, func(t *testing.T) {
			h := vipHost(t)
			out, code := h.vip("10.0.0.2")
			require.Zero(t, code, out)
			conf := h.read(keepalived)
			h.write("var/lib/strata/owner", mark)
			out, code = h.noVIP()
			require.Zero(t, code, "the destroy goes on: "+out)
			assert.Equal(t, conf, h.read(keepalived))
			assert.True(t, h.exists("etc/keepalived/strata-api-ready.sh"))
			assert.NotContains(t, h.read("systemctl.log"), "disable")
		})
	}
}

func TestVIPRemovalWorksWithoutKeepalivedPackage(t *testing.T) {
	h := vipHost(t)
	out, code := h.vip("10.0.0.2")
	require.Zero(t, code, out)
	h.tool("systemctl", `echo "Unit keepalived.service could not be found." >&2; exit 1`)
	out, code = h.noVIP()
	require.Zero(t, code, out)
	assert.False(t, h.exists(keepalived))
}
