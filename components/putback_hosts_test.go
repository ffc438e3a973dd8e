package components

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/stack/drift"
	"strata/config"
	"strata/internal/k3shost"
)

const (
	unitFile    = "etc/systemd/system/k3s.service"
	programFile = "usr/local/bin/k3s"
	modulesFile = "etc/modules-load.d/strata-k3s.conf"
	recordFile  = "var/lib/strata/k3s.files"
)

// differences runs the comparison on the host and returns its lines, reordered and without the
// evidence: resource, verdict, changed file or unit, and keyword (drift/host.sh).
func (h *fakeHost) differences() []string {
	h.t.Helper()
	const pushed = "- - - - /var/lib/strata/k3s\n"
	out, code := shell(h.t, h.rooted(drift.HostScript("00ff", "here", pushed)), "",
		"PATH="+h.path("bin")+":"+os.Getenv("PATH"))
	require.Zero(h.t, code, out)
	assert.NotContains(h.t, out, "secret")
	named := []string{}
	for line := range strings.Lines(strings.ReplaceAll(out, h.root, "")) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(h.t, fields, 5, line)
		named = append(named, strings.TrimSpace(strings.Join([]string{fields[0], fields[1], fields[4], fields[2]}, " ")))
	}
	return named
}

// touch sets the time of a file relative to now. The file of a unit in active/ has the time of the
// unit's start.
func (h *fakeHost) touch(path string, relative time.Duration) {
	h.t.Helper()
	at := time.Now().Add(relative)
	require.NoError(h.t, os.Chtimes(h.path(path), at, at))
}

func (h *fakeHost) remove(paths ...string) {
	h.t.Helper()
	for _, path := range paths {
		require.NoError(h.t, os.RemoveAll(h.path(path)))
	}
}

func (h *fakeHost) chmod(path string, mode os.FileMode) {
	h.t.Helper()
	require.NoError(h.t, os.Chmod(h.path(path), mode))
}

// installed returns a host on which the install ran two hours ago. K3s and keepalived were started
// again one hour ago, as after a reboot.
func installed(t *testing.T, vip bool) *fakeHost {
	t.Helper()
	h := vipHost(t)
	h.write("modules/br_netfilter", "/lib/modules/6.1/br_netfilter.ko\n")
	h.write("sys/module/br_netfilter/initstate", "live\n")
	h.write("proc/sys/net/ipv4/ip_forward", "1\n")
	h.write("var/lib/rancher/k3s/data", "")
	h.write(markFile, ownMark)
	h.putBack(vip)
	for _, unit := range []string{"k3s", "keepalived"} {
		record := "var/lib/strata/" + unit + ".files"
		if !h.exists(record) {
			continue
		}
		for line := range strings.Lines(h.read(record)) {
			fields := strings.Fields(line)
			h.touch(strings.TrimPrefix(fields[len(fields)-1], h.root), -2*time.Hour)
		}
		h.touch(record, -2*time.Hour)
		h.touch("active/"+unit, -time.Hour)
	}
	return h
}

func TestComparisonFindsNothingOnUnchangedHost(t *testing.T) {
	t.Parallel()
	h := installed(t, true)
	assert.Empty(t, h.differences(), "K3s was restarted after the install")
	h.putBack(true)
	assert.Empty(t, h.differences(), "a second install")
	h.remove("run")
	require.NoError(t, os.MkdirAll(h.path("run"), 0o755))
	h.touch("active/k3s", time.Hour)
	h.touch("active/keepalived", time.Hour)
	assert.Empty(t, h.differences(), "a reboot")
}

// putBack runs the install, and the install of keepalived if vip is set.
func (h *fakeHost) putBack(vip bool) (output string) {
	h.t.Helper()
	output, code := h.install("server", "true", "")
	require.Zero(h.t, code, output)
	if vip {
		output, code = h.vip("10.0.0.2")
		require.Zero(h.t, code, output)
	}
	return output
}

func restartK3s(h *fakeHost) { h.touch("active/k3s", time.Minute) }

// hostChanges has manual changes of a host with K3s, and the lines that the comparison prints for
// each.
var hostChanges = map[string]struct {
	change    func(h *fakeHost)
	named     []string
	restarted bool
}{
	"config.yaml was edited": {func(h *fakeHost) { h.write(configFile, "token: other\n") },
		[]string{"install changed /etc/rancher/k3s/config.yaml"}, false},
	"config.yaml was edited, and K3s restarted": {func(h *fakeHost) {
		h.write(configFile, "token: other\n")
		restartK3s(h)
	}, []string{"install changed /etc/rancher/k3s/config.yaml running"}, true},
	"config.yaml was edited, K3s restarted, and the edit undone": {
		func(h *fakeHost) { h.write(configFile, configText) },
		[]string{"install changed /etc/rancher/k3s/config.yaml running"}, true},
	"config.yaml was deleted, and K3s restarted": {func(h *fakeHost) { h.remove(configFile) },
		[]string{"install missing /etc/rancher/k3s/config.yaml running"}, true},
	"config.yaml was deleted": {func(h *fakeHost) {
		h.touch(recordFile, 0)
		h.remove(configFile)
	}, []string{"install missing /etc/rancher/k3s/config.yaml"}, false},
	"the mode of config.yaml was changed": {func(h *fakeHost) { h.chmod(configFile, 0o644) },
		[]string{"install changed /etc/rancher/k3s/config.yaml"}, false},
	"the join file was edited": {func(h *fakeHost) { h.write(joinFile, "server: https://10.9.9.9:6443\n") },
		[]string{"install changed /etc/rancher/k3s/config.yaml.d/90-strata-join.yaml"}, false},
	"the unit was edited": {func(h *fakeHost) {
		h.write(unitFile, "[Service] other\n")
		h.chmod(unitFile, 0o644)
		h.write("unread", "")
	}, []string{"install changed /etc/systemd/system/k3s.service",
		"install changed unit k3s"}, false},
	"the unit was edited, and K3s restarted": {func(h *fakeHost) {
		h.write(unitFile, "[Service] other\n")
		restartK3s(h)
	}, []string{"install changed /etc/systemd/system/k3s.service running"}, true},
	"the unit was deleted": {func(h *fakeHost) { h.remove(unitFile) },
		[]string{"install missing /etc/systemd/system/k3s.service"}, false},
	"the unit was masked": {func(h *fakeHost) {
		h.remove(unitFile)
		require.NoError(h.t, os.Symlink("/dev/null", h.path(unitFile)))
		h.write("masked/k3s", "")
	}, []string{"install changed /etc/systemd/system/k3s.service",
		"install changed unit k3s"}, false},
	"the unit was disabled": {func(h *fakeHost) { h.remove("enabled/k3s") },
		[]string{"install changed unit k3s"}, false},
	"the unit was stopped": {func(h *fakeHost) { h.remove("active/k3s") },
		[]string{"install changed unit k3s"}, true},
	"the binary was replaced": {func(h *fakeHost) { h.write(programFile, "by hand\n") },
		[]string{"install changed /usr/local/bin/k3s"}, false},
	"the binary was replaced while K3s was stopped": {func(h *fakeHost) {
		h.write(programFile, "by hand\n")
		h.remove("active/k3s")
	}, []string{"install changed /usr/local/bin/k3s", "install changed unit k3s"}, true},
	"the binary was deleted": {func(h *fakeHost) { h.remove(programFile) },
		[]string{"install missing /usr/local/bin/k3s"}, false},
	"the mode of the binary was changed": {func(h *fakeHost) { h.chmod(programFile, 0o600) },
		[]string{"install changed /usr/local/bin/k3s"}, false},
	"the list of modules was deleted": {func(h *fakeHost) { h.remove(modulesFile) },
		[]string{"install missing /etc/modules-load.d/strata-k3s.conf"}, false},
	"a module was unloaded": {func(h *fakeHost) { h.remove("sys/module/br_netfilter") },
		[]string{"install missing module br_netfilter"}, false},
	"a sysctl was changed": {func(h *fakeHost) { h.write("proc/sys/net/ipv4/ip_forward", "0\n") },
		[]string{"install changed sysctl net.ipv4.ip_forward"}, false},
	"the owner file was deleted": {func(h *fakeHost) { h.remove(markFile) },
		[]string{"install missing /var/lib/strata/owner"}, false},
	"the stack's name in the owner file was edited": {func(h *fakeHost) {
		h.write(markFile, strings.Replace(ownMark, "dev", "prod", 1))
	}, []string{"install changed /var/lib/strata/owner"}, false},
	"K3s was uninstalled": {func(h *fakeHost) {
		h.remove("etc/rancher", "var/lib/rancher", programFile, unitFile, unitFile+".env",
			"active/k3s", "enabled/k3s")
	}, []string{"install missing /usr/local/bin/k3s",
		"install missing /etc/systemd/system/k3s.service",
		"install missing /etc/systemd/system/k3s.service.env",
		"install missing /etc/rancher/k3s/config.yaml",
		"install missing /etc/rancher/k3s/config.yaml.d/90-strata-join.yaml",
		"admission missing /var/lib/rancher/k3s", "install changed unit k3s",
		"install changed unit k3s"}, true},
}

// The comparison reports each manual change of a host, and the install puts it back. The install
// restarts K3s only if K3s is stopped or was started with the change.
func TestInstallPutsBackChangesThatComparisonFinds(t *testing.T) {
	for name, test := range hostChanges {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := installed(t, false)
			test.change(h)
			assert.ElementsMatch(t, test.named, h.differences())
			out := h.putBack(false)
			assert.Equal(t, test.restarted, h.restarted("k3s"), out)
			h.write("var/lib/rancher/k3s/data", "") // K3s makes it when it starts
			assert.Empty(t, h.differences())
			assert.Equal(t, configText, h.read(configFile))
			assert.Equal(t, binary, h.read(programFile))
			assert.Equal(t, "1\n", h.read("proc/sys/net/ipv4/ip_forward"))
		})
	}
}

func TestKeepalivedInstallPutsBackChangesThatComparisonFinds(t *testing.T) {
	const check = "etc/keepalived/strata-api-ready.sh"
	for name, test := range map[string]struct {
		change    func(h *fakeHost)
		named     []string
		restarted bool
	}{
		"the configuration was edited": {func(h *fakeHost) { h.write(keepalived, keepalivedMark+"\n") },
			[]string{"keepalived changed /etc/keepalived/keepalived.conf"}, false},
		"the configuration was edited, and keepalived restarted": {func(h *fakeHost) {
			h.write(keepalived, keepalivedMark+"\n")
			h.touch("active/keepalived", time.Minute)
		}, []string{"keepalived changed /etc/keepalived/keepalived.conf running"}, true},
		"the first line of the configuration was edited": {
			func(h *fakeHost) { h.write(keepalived, "vrrp_instance theirs {}\n") },
			[]string{"keepalived changed /etc/keepalived/keepalived.conf"}, false},
		"the mode of the configuration was changed": {func(h *fakeHost) { h.chmod(keepalived, 0o644) },
			[]string{"keepalived changed /etc/keepalived/keepalived.conf"}, false},
		"the check was edited": {func(h *fakeHost) { h.write(check, "exit 0\n") },
			[]string{"keepalived changed /etc/keepalived/strata-api-ready.sh"}, false},
		"the check was deleted": {func(h *fakeHost) { h.remove(check) },
			[]string{"keepalived missing /etc/keepalived/strata-api-ready.sh"}, false},
		"keepalived was disabled": {func(h *fakeHost) { h.remove("enabled/keepalived") },
			[]string{"keepalived changed unit keepalived"}, false},
		"keepalived was masked": {func(h *fakeHost) { h.write("masked/keepalived", "") },
			[]string{"keepalived changed unit keepalived"}, false},
		"keepalived was stopped": {func(h *fakeHost) { h.remove("active/keepalived") },
			[]string{"keepalived changed unit keepalived"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := installed(t, true)
			test.change(h)
			assert.Equal(t, test.named, h.differences())
			out := h.putBack(true)
			assert.Equal(t, test.restarted,
				strings.Contains(h.read("systemctl.log"), "restart keepalived\n"), out)
			assert.Empty(t, h.differences())
		})
	}
}

// The install does not replace the binary that K3s was started with: the upgrade does, after it has
// drained the node. Until then, the comparison still reports the binary.
func TestInstallKeepsReplacedRunningBinaryUntilUpgrade(t *testing.T) {
	const named = "install changed /usr/local/bin/k3s running"
	h := installed(t, false)
	h.write(programFile, "by hand\n")
	h.touch("active/k3s", time.Minute)
	assert.Equal(t, []string{named}, h.differences())
	assert.Contains(t, h.putBack(false), "until its upgrade")
	assert.False(t, h.restarted("k3s"))
	assert.Equal(t, []string{named}, h.differences())
	h.upgrade(binary)
	assert.True(t, h.restarted("k3s"))
	assert.Empty(t, h.differences())
}

// upgrade runs the steps by which package upgrade replaces the binary.
func (h *fakeHost) upgrade(wanted string) {
	h.t.Helper()
	text := k3shost.Script("server", sumOfText(wanted), ownCluster.WithNode("here"),
		"one_at_a_time\nverify_staged\nplace\nwrite_unit\nrestart\n", nil)
	out, code := shell(h.t, h.rooted(text), "", "PATH="+h.path("bin")+":"+os.Getenv("PATH"))
	require.Zero(h.t, code, out)
}

func TestComparisonFindsNothingDuringUpgrade(t *testing.T) {
	h := installed(t, false)
	h.write("var/lib/strata/k3s", "the next binary\n")
	assert.Contains(t, h.putBack(false), "until its upgrade")
	assert.Empty(t, h.differences())
	h.upgrade("the next binary\n")
	assert.Empty(t, h.differences())
}

// An update removes no file that it did not write, and changes no host of another owner.
func TestComparisonFindsFilesThatAnUpdateKeeps(t *testing.T) {
	h := installed(t, false)
	h.write("etc/rancher/k3s/config.yaml.d/99-by-hand.yaml", "debug: true\n")
	h.write("run/systemd/system/k3s.service.d/override.conf", "[Service]\n")
	h.write("etc/default/k3s", "A=b\n")
	extra := []string{"install extra /run/systemd/system/k3s.service.d/override.conf extra",
		"install extra /etc/rancher/k3s/config.yaml.d/99-by-hand.yaml extra",
		"install extra /etc/default/k3s extra"}
	assert.Equal(t, extra, h.differences())
	h.putBack(false)
	assert.Equal(t, extra, h.differences())
	h.write("run/systemd/system/k3s.service.d/90-strata-leaving.conf", "[Service]\n")
	h.remove("active/k3s")
	assert.Empty(t, h.differences(), "the node is being removed")
	h.write(markFile, strings.Replace(ownMark, "00ff", "ff00", 1))
	h.remove("run/systemd")
	assert.Equal(t, []string{"install changed /var/lib/strata/owner owner"}, h.differences())
	h.write(markFile, ownMark)
	h.write("active/k3s", "")
	h.remove("var/lib/strata/k3s")
	assert.Contains(t, h.differences(), "push missing /var/lib/strata/k3s")
	h.remove(recordFile)
	assert.Empty(t, h.differences(), "a host of an earlier Strata")
}

// The host decides how a node joins, so Strata knows only the checksum of the join file.
func TestInstallRestoresEditedJoinFileByChecksum(t *testing.T) {
	for name, test := range map[string]struct{ role, text, want string }{
		"a member that founded the cluster": {"server", "cluster-init: true\n", "cluster-init: true\n"},
		"a member that joined":              {"server", "server: https://10.0.0.3:6443\n", "server: https://10.0.0.3:6443\n"},
		"an agent":                          {"agent", "server: https://10.0.0.3:6443\n", "server: https://10.0.0.3:6443\n"},
		"an agent of a removed server": {"agent", "server: https://10.0.0.9:6443\n",
			"server: https://10.0.0.2:6443\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t)
			h.write("answers/10.0.0.2", "")
			if test.role == "server" {
				h.write("var/lib/rancher/k3s/server/db/etcd/member", "data")
			}
			h.write(markFile, ownMark)
			h.write(joinFile, test.text)
			install := func() string {
				out, code := h.install(test.role, "false", "10.0.0.2 10.0.0.3")
				require.Zero(t, code, out)
				return h.read(joinFile)
			}
			install()
			h.write(joinFile, "server: https://10.0.0.66:6443\n")
			assert.Equal(t, test.want, install())
		})
	}
}

// The config.yaml of a server that joined has a token with the CA's hash. The install does not copy
// the hash from an edited config.yaml.
func TestInstallRestoresTokenWithCAHash(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	h := newFakeHost(t)
	h.write("answers/10.0.0.2", "")
	install := func() {
		out, code := h.install("server", "false", "10.0.0.2", variable{"CA_HASH", hash})
		require.Zero(t, code, out)
	}
	install()
	h.write("var/lib/rancher/k3s/server/db/etcd/member", "data")
	want := h.read(configFile)
	require.Contains(t, want, "token: K10"+hash+"::server:secret\n")
	for _, text := range []string{"", "token: other\n", "token: K10aa::server:secret\n"} {
		h.touch("active/k3s", -time.Minute)
		h.write(configFile, text)
		install()
		assert.Equal(t, want, h.read(configFile))
		assert.False(t, h.restarted("k3s"))
	}
}

// The install also restores a registries.yaml without Strata's first line, because the record lists
// it.
func TestInstallPutsBackEditedRegistriesFile(t *testing.T) {
	h := newFakeHost(t)
	install := func(k3s config.K3s) {
		out, code := h.installWith(k3s)
		require.Zero(t, code, out)
		assert.Empty(t, h.differences())
	}
	install(config.K3s{Registries: someRegistries()})
	want := h.read(registriesFile)
	h.touch("active/k3s", -time.Minute)
	h.write(registriesFile, "mirrors: {}\n")
	assert.Equal(t, []string{"install changed /etc/rancher/k3s/registries.yaml"}, h.differences())
	install(config.K3s{Registries: someRegistries()})
	assert.Equal(t, want, h.read(registriesFile))
	assert.False(t, h.restarted("k3s"))
	install(config.K3s{}) // the former CA stays, and does not count
	assert.False(t, h.exists(registriesFile))
}
