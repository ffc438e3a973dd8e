package components

import (
	"cmp"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/k3s/members"
)

const (
	joinFile   = "etc/rancher/k3s/config.yaml.d/90-strata-join.yaml"
	configFile = "etc/rancher/k3s/config.yaml"
)

// K3s's unit must not start before the restored data is in place, or K3s would start an empty
// cluster. If the install is killed before the reset ends, the next run starts the reset again.
func TestInstallRestoresSnapshotBeforeStartingK3s(t *testing.T) {
	h := newFakeHost(t)
	h.write(strings.TrimPrefix(members.Snapshot, "/"), "data")
	h.write("answers/10.0.0.2", "")
	h.tool("k3s", `cat /`+joinFile+` >> ROOT/reset.log; echo "$*" >> ROOT/reset.log; [ ! -e /etc/systemd/system/k3s.service ] && [ ! -e ROOT/broken ]`)
	h.write("broken", "")
	out, code := h.install("server", "false", "10.0.0.2")
	assert.NotZero(t, code)
	assert.Contains(t, out, "cluster-reset failed")
	assert.Empty(t, lines(h.read("systemctl.log"), "enable", "restart"))
	require.NoError(t, os.RemoveAll(h.path("reset.log")))
	require.NoError(t, os.Remove(h.path("broken")))
	out, code = h.install("server", "false", "10.0.0.2")
	require.Zero(t, code, out)
	assert.Equal(t, "cluster-init: true\nserver --cluster-reset --cluster-reset-restore-path="+
		h.path(members.Snapshot)+"\n", h.read("reset.log"))
	assert.False(t, h.exists(members.Snapshot))
	assert.True(t, h.restarted("k3s"))
	out, code = h.install("server", "false", "10.0.0.2")
	require.Zero(t, code, out)
	assert.NotContains(t, out, "restored")
}

func TestInstallWritesPrivateConfigAndStartsUnitAsynchronously(t *testing.T) {
	h := newFakeHost(t)
	out, code := h.install("server", "true", "")
	require.Zero(t, code, out)
	assert.Equal(t, "token: secret\nnode-name: here\n", h.read(configFile))
	for _, file := range []string{configFile, joinFile} {
		info, err := os.Stat(h.path(file))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}
	assert.Equal(t, "enable k3s\nrestart --no-block k3s\n",
		lines(h.read("systemctl.log"), "enable", "restart"))
	environment := h.read("installer.env")
	for _, want := range []string{"INSTALL_K3S_EXEC=server\n", "INSTALL_K3S_SKIP_DOWNLOAD=true\n", "INSTALL_K3S_SKIP_START=true\n"} {
		assert.Contains(t, environment, want)
	}
	assert.NotContains(t, environment, "K3S_TOKEN", "it would be stored in the unit's environment")
	assert.NotContains(t, out, "secret")
}

// If the disk is full, the install fails, leaves no incomplete file with the token, and does not
// start K3s.
func TestInstallOnFullDiskLeavesNoIncompleteFile(t *testing.T) {
	for name, tool := range map[string]string{"config.yaml": "cat", "the binary": "cp"} {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t)
			fails := `echo "No space left on device" >&2; exit 1`
			if tool == "cat" {
				h.tool("cat", `if [ $# -gt 0 ]; then exec /bin/cat "$@"; fi; head -c 3; `+fails)
			} else {
				h.tool("cp", `printf half > "$2"; `+fails)
			}
			out, code := h.install("server", "true", "")
			require.NotZero(t, code, out)
			assert.Contains(t, out, "No space left on device")
			assert.Contains(t, out, "the disk is full or failing; ")
			assert.False(t, h.exists(configFile+".new"))
			assert.False(t, h.exists("usr/local/bin/.strata-push.k3s"))
			assert.False(t, h.exists("usr/local/bin/k3s"))
			assert.Empty(t, lines(h.read("systemctl.log"), "enable", "restart"))
			assert.NotContains(t, out, "secret")
		})
	}
}

func TestK3sIsRestartedOnlyAfterChange(t *testing.T) {
	install := func(t *testing.T, h *fakeHost) string {
		t.Helper()
		out, code := h.install("server", "true", "")
		require.Zero(t, code, out)
		return out
	}
	changes := map[string]struct {
		change    func(h *fakeHost)
		restarted bool
	}{
		"nothing changed": {func(*fakeHost) {}, false},
		"the binary was replaced by hand while K3s was stopped": {func(h *fakeHost) {
			h.write("usr/local/bin/k3s", "another\n")
			require.NoError(h.t, os.Remove(h.path("active/k3s")))
		}, true},
		"the join file was edited before K3s started": {func(h *fakeHost) {
			h.write("var/lib/rancher/k3s/server/db/etcd/member", "")
			h.write(joinFile, "server: https://10.0.0.2:6443\n")
			h.touch("active/k3s", time.Minute) // started with it
		}, true},
		"the unit file changed": {func(h *fakeHost) {
			h.write("var/lib/strata/k3s-install.sh",
				h.rooted("echo other > /etc/systemd/system/k3s.service"))
		}, true},
		"the unit is stopped": {
			func(h *fakeHost) { require.NoError(h.t, os.Remove(h.path("active/k3s"))) }, true},
		"the previous install was killed": {
			func(h *fakeHost) {
				require.NoError(h.t,
					os.Remove(h.path("var/lib/strata/k3s.applied")))
			}, true},
		"config.yaml was edited after K3s started": {
			func(h *fakeHost) {
				h.touch("active/k3s", -time.Minute)
				h.write(configFile, "token: other\n")
			}, false},
	}
	for name, test := range changes {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t)
			install(t, h)
			require.True(t, h.restarted("k3s"))
			test.change(h)
			out := install(t, h)
			assert.Equal(t, test.restarted, h.restarted("k3s"), out)
			assert.Equal(t, "token: secret\nnode-name: here\n", h.read(configFile))
		})
	}
	t.Run("config.yaml", func(t *testing.T) {
		h := newFakeHost(t)
		install(t, h)
		sum := variable{"ROLE", "server"}
		config := "token: secret\ntls-san: [new]\n"
		_, code := h.run("k3s-install.sh", config,
			append([]variable{sum, {"FOUNDS", "true"}, {"PEERS", ""}, configSum(config)},
				binarySum(h))...)
		require.Zero(t, code)
		assert.True(t, h.restarted("k3s"))
	})
}

// The upgrade replaces the binary of a running node, because it drains the node first.
func TestInstallKeepsBinaryOfRunningK3s(t *testing.T) {
	h := newFakeHost(t)
	_, code := h.install("server", "true", "")
	require.Zero(t, code)
	h.write("var/lib/strata/k3s", "the next binary\n")
	out, code := h.install("server", "true", "")
	require.Zero(t, code, out)
	assert.Contains(t, out, "goes on with its old binary until its upgrade")
	assert.False(t, h.restarted("k3s"))
	assert.Equal(t, binary, h.read("usr/local/bin/k3s"))
	assert.Equal(t, "token: secret\nnode-name: here\n", h.read(configFile),
		"the upgrade takes it along")

	require.NoError(t, os.Remove(h.path("active/k3s")))
	out, code = h.install("server", "true", "")
	require.Zero(t, code, out)
	assert.True(t, h.restarted("k3s"), "one that does not run has no Pods to move")
	assert.Equal(t, "the next binary\n", h.read("usr/local/bin/k3s"))
	info, err := os.Stat(h.path("usr/local/bin/k3s"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())
}

// A refused install leaves a running K3s as it is.
func TestRefusedInstallChangesNothing(t *testing.T) {
	t.Run("with another binary than the pinned one", func(t *testing.T) {
		h := newFakeHost(t)
		h.write(markFile, ownMark)
		h.write(configFile, "as it was\n")
		out, code := h.install("server", "true", "", variable{"BINARY_SHA256", "00ff"})
		assert.Equal(t, 1, code)
		assert.Contains(t, out, "/var/lib/strata/k3s has not the sha256 00ff; run 'pulumi up' again to push it")
		assert.Equal(t, "as it was\n", h.read(configFile))
		assert.Empty(t, h.read("systemctl.log"))
	})
	// If the SSH channel breaks, stdin ends as if it were complete. K3s without a token would
	// generate a token of its own.
	for name, arrives := range map[string]string{"nothing of": "", "half of": "token: secret\n", "another": "token: other\nnode-name: here\n"} {
		t.Run("with "+name+" config.yaml on stdin", func(t *testing.T) {
			h := newFakeHost(t)
			h.write(markFile, ownMark)
			h.write(configFile, "as it was\n")
			sum := []variable{{"ROLE", "server"}, {"FOUNDS", "true"}, {"PEERS", ""}, binarySum(h),
				configSum(configText)}
			out, code := h.run("k3s-install.sh", arrives, sum...)
			assert.Equal(t, 1, code)
			assert.Contains(t, out, "config.yaml: expected sha256 "+configSum(configText).value)
			assert.Contains(t, out, "run 'pulumi up' again")
			assert.Equal(t, "as it was\n", h.read(configFile))
			assert.False(t, h.exists(configFile+".new"), "what arrived may hold the token")
			assert.Empty(t, h.read("systemctl.log"))
		})
	}
	for role, other := range map[string]string{"server": "k3s-agent", "agent": "k3s"} {
		t.Run("as "+role+" on a host that runs "+other, func(t *testing.T) {
			h := newFakeHost(t)
			h.write(markFile, ownMark)
			h.write("etc/systemd/system/"+other+".service", "")
			h.write("answers/10.0.0.1", "")
			h.write(configFile, "as it was\n")
			out, code := h.install(role, "true", "10.0.0.1")
			assert.Equal(t, 1, code)
			assert.Contains(t, out, "this host already runs "+other)
			assert.Contains(t, out, other+"-uninstall.sh")
			assert.Equal(t, "as it was\n", h.read(configFile))
			assert.Empty(t, h.read("systemctl.log"))
		})
	}
}

func TestInstallRefusesTokenThatCannotDecryptData(t *testing.T) {
	key := func(token string) string { return "/bootstrap/" + sumOfText(token)[:12] }
	const full = "token: K10" + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" +
		"::server:secret\n"
	for name, test := range map[string]struct {
		role, data, config string
		refused            bool
	}{
		"data of the configured token": {role: "server", data: key("secret")},
		"data of the configured token, which has the CA's hash": {role: "server", data: key("secret"),
			config: full},
		"data of another token": {role: "server", data: key("former"),
			refused: true},
		"data of another token, which has the CA's hash": {role: "server", data: key("former"), config: full,
			refused: true},
		"data of both tokens, as after a rotation": {role: "server",
			data: "x" + key("former") + "\x00" + key("secret") + "y"},
		"no token's data, as on a server that never served": {role: "server", data: "wal"},
		"an agent": {role: "agent", data: key("former")},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t)
			config := cmp.Or(test.config, configText)
			h.write("answers/10.0.0.2", "")
			h.write(markFile, ownMark)
			h.write(configFile, "token: former\n")
			h.write("var/lib/rancher/k3s/server/db/etcd/member/snap/db", test.data)
			h.write(joinFile, "cluster-init: true\n")
			out, code := h.run("k3s-install.sh", config, variable{"ROLE", test.role},
				variable{"FIRST", "true"}, variable{"PEERS", "10.0.0.2"},
				binarySum(h), configSum(config))
			if !test.refused {
				require.Zero(t, code, out)
				assert.Equal(t, config, h.read(configFile))
				return
			}
			assert.Equal(t, 1, code)
			assert.Contains(t, out, "found data that another token encrypts")
			assert.Contains(t, out, key("secret"), "it names the missing key")
			assert.Equal(t, "token: former\n", h.read(configFile))
			assert.False(t, h.exists(configFile+".new"))
			assert.Empty(t, h.read("systemctl.log"))
		})
	}
}

func TestKernelModulesAreLoadedAfterReboot(t *testing.T) {
	h := newFakeHost(t)
	h.write("modules/overlay", "/lib/modules/6.1/overlay.ko\n")
	_, code := h.install("server", "true", "")
	require.Zero(t, code)
	assert.Equal(t, "overlay\n", h.read("etc/modules-load.d/strata-k3s.conf"),
		"br_netfilter is built in")

	builtIn := newFakeHost(t)
	_, code = builtIn.install("server", "true", "")
	require.Zero(t, code)
	assert.False(t, builtIn.exists("etc/modules-load.d/strata-k3s.conf"))
}
