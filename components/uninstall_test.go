package components

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// binarySum returns the variable with the SHA-256 sum of the host's K3s binary.
func binarySum(h *fakeHost) variable {
	sum := sha256.Sum256([]byte(h.read("var/lib/strata/k3s")))
	return variable{"BINARY_SHA256", hex.EncodeToString(sum[:])}
}

// lines keeps the lines of text that begin with one of the words.
func lines(text string, words ...string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		for _, word := range words {
			if strings.HasPrefix(line, word+" ") {
				kept.WriteString(line)
			}
		}
	}
	return kept.String()
}

func TestUninstallRemovesEverything(t *testing.T) {
	for role, unit := range map[string]string{"server": "k3s", "agent": "k3s-agent"} {
		t.Run(role, func(t *testing.T) {
			h := newFakeHost(t)
			h.write("answers/10.0.0.1", "")
			_, code := h.install(role, "true", "10.0.0.1")
			require.Zero(t, code)
			h.write("var/lib/rancher/k3s/agent/images/core.tar", "images")
			h.write("etc/rancher/node/password", "K3s's own uninstall leaves this")
			h.write("var/lib/strata/k3s-reset.log", "a restore leaves this")
			h.write("var/log/pods/default_hello/0.log",
				"K3s's own uninstall leaves this, and the links")
			require.NoError(t, os.MkdirAll(h.path("var/log/containers"), 0o755))
			require.NoError(t, os.Symlink(h.path("var/log/pods/default_hello/0.log"),
				h.path("var/log/containers/hello.log")))
			h.write("run/containerd/s/0123", "a shim's socket")
			require.NoError(t, os.MkdirAll(
				h.path("sys/fs/cgroup/memory/kubepods/burstable/pod1"), 0o755))
			uninstall := unit + "-uninstall.sh"
			executable(t, h.path("usr/local/bin/"+uninstall),
				h.rooted("#!/bin/sh\necho ran >> ROOT/uninstalled\nrm -f /etc/systemd/system/"+unit+
					".service \"$0\"\n"))
			out, code := h.run("k3s-uninstall.sh", "")
			require.Zero(t, code, out)
			assert.Contains(t, out, "k3s: nothing left on ")
			assert.Equal(t, "ran\n", h.read("uninstalled"))
			for _, gone := range []string{"etc/rancher", "var/lib/rancher", "var/lib/strata", "usr/local/bin/k3s", "etc/systemd/system/" + unit + ".service",
				"var/log/pods", "var/log/containers", "run/containerd",
				"sys/fs/cgroup/memory/kubepods"} {
				assert.False(t, h.exists(gone), gone)
			}
			out, code = h.run("k3s-uninstall.sh", "")
			assert.Zero(t, code, "it can be run again: %s", out)
		})
	}
}

func TestUninstallRemovesPartialInstall(t *testing.T) {
	h := newFakeHost(t)
	_, code := h.install("server", "true", "")
	require.Zero(t, code)
	out, code := h.run("k3s-uninstall.sh", "") // there is no k3s-uninstall.sh yet
	require.Zero(t, code, out)
	assert.Contains(t, h.read("systemctl.log"), "disable --now k3s\n")
	assert.False(t, h.exists("etc/systemd/system/k3s.service"))
	assert.False(t, h.exists("etc/rancher"))
}

// K3s's own uninstall would wait for a starting server for 90 s, until systemd kills it.
func TestUninstallDoesNotWaitForStartingServer(t *testing.T) {
	for state, killed := range map[string]bool{"activating": true, "deactivating": true, "active": false, "inactive": false} {
		t.Run(state, func(t *testing.T) {
			h := newFakeHost(t)
			_, code := h.install("server", "true", "")
			require.Zero(t, code)
			h.write("state", state+"\n")
			h.tool("systemctl", `echo "$*" >> ROOT/systemctl.log
[ "$*" != "is-active k3s" ] || { cat ROOT/state; grep -qx active ROOT/state; }`)
			out, code := h.run("k3s-uninstall.sh", "")
			require.Zero(t, code, out)
			want := "disable --now k3s\n"
			if killed {
				want = "kill --kill-who=main --signal=KILL k3s\n" + want
			}
			assert.Equal(t, want, lines(h.read("systemctl.log"), "kill", "disable"))
		})
	}
}

func TestUninstallKeepsForeignFiles(t *testing.T) {
	h := newFakeHost(t)
	h.mark()
	h.write("etc/rancher/rke2/config.yaml", "another's")
	h.write("var/lib/rancher/other", "another's")
	out, code := h.run("k3s-uninstall.sh", "")
	// The uninstall keeps /etc/rancher, because it has files of another program, and reports it.
	assert.Contains(t, out, "file: "+h.path("etc/rancher"))
	assert.NotZero(t, code)
	assert.True(t, h.exists("etc/rancher/rke2/config.yaml"))
	assert.True(t, h.exists("var/lib/rancher/other"))
}

func TestUninstallReportsRemainsOfK3s(t *testing.T) {
	tests := map[string]struct {
		leave func(h *fakeHost)
		want  string
	}{
		"a file of Strata": {func(h *fakeHost) { h.write("var/lib/strata/k3s-new.log", "") },
			"file: "},
		"a systemd unit": {func(h *fakeHost) {
			h.write("units",
				"k3s-agent.service enabled enabled\n")
		}, "unit: k3s-agent.service"},
		"a mount": {func(h *fakeHost) {
			h.write("proc/self/mounts", "shm "+h.root+"/run/k3s/containerd/x/shm tmpfs rw 0 0\n")
		}, "mount: "},
		"flannel's interface": {func(h *fakeHost) {
			h.write("says/ip",
				"5: flannel.1: <BROADCAST> mtu 1450\n")
		}, "interface: flannel.1"},
		"a Pod's veth interface": {func(h *fakeHost) {
			h.write("says/ip",
				"7: veth0a1b2c3d@if2: <BROADCAST> mtu 1450\n")
		}, "interface: veth0a1b2c3d"},
		"an iptables chain": {func(h *fakeHost) {
			h.write("says/iptables-save",
				":KUBE-SERVICES - [0:0]\n")
		}, "iptables: :KUBE-SERVICES"},
		"an ip6tables rule": {func(h *fakeHost) {
			h.write("says/ip6tables-save",
				"-A FLANNEL-FWD -j ACCEPT\n")
		}, "iptables: -A FLANNEL-FWD"},
		"an ipset of a network policy": {func(h *fakeHost) {
			h.write("says/ipset", "inet6:KUBE-DST-ABC\n")
			h.write("inuse", "")
		}, "ipset: inet6:KUBE-DST-ABC"},
		"a K3s process": {func(h *fakeHost) { h.process("4711", "/usr/local/bin/k3s") }, "/proc/4711 "},
		"a containerd shim": {func(h *fakeHost) {
			h.process("4712", "/var/lib/rancher/k3s/data/current/bin/containerd-shim-runc-v2 (deleted)")
		}, "/proc/4712 "},
		"the command kubectl": {func(h *fakeHost) { h.write("usr/local/bin/kubectl", "") }, "file: "},
		"a container's cgroup": {func(h *fakeHost) {
			h.write("sys/fs/cgroup/kubepods/pod1/cgroup.procs",
				"4713\n")
		}, "container: "},
		"a folder of the kubelet": {func(h *fakeHost) { h.write("var/lib/kubelet/pods/x", "") }, "file: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t)
			h.mark()
			test.leave(h)
			out, code := h.run("k3s-uninstall.sh", "")
			assert.Equal(t, 1, code)
			assert.Contains(t, out, "after the uninstall:\n")
			assert.Contains(t, out, test.want)
		})
	}
}

// An ipset can be destroyed only after K3s's own script has removed the firewall rules that use it.
func TestUninstallDestroysIPSetsOfNetworkPolicies(t *testing.T) {
	h := newFakeHost(t)
	h.mark()
	h.write("says/ipset", "KUBE-SRC-ABC\nanother\ninet6:KUBE-DST-DEF\nKUBE-LOOP-BACK\n")
	h.write("inuse", "")
	executable(t, h.path("usr/local/bin/k3s-killall.sh"),
		h.rooted("#!/bin/sh\nrm ROOT/inuse \"$0\"\n"))
	out, code := h.run("k3s-uninstall.sh", "")
	assert.Zero(t, code, out)
	assert.Equal(t, "another\nKUBE-LOOP-BACK\n", h.read("says/ipset"))
}

// routesOfPods makes a host's routes to other nodes' Pods, as flannel's host-gw adds them. flush is
// the shell command that `ip route flush` runs on the fake host.
func routesOfPods(h *fakeHost, flush string) {
	h.write("routes", "10.42.1.0/24 via 10.10.0.12 dev eth0\n")
	h.write("run/flannel/subnet.env", "FLANNEL_NETWORK=10.42.0.0/16\nFLANNEL_SUBNET=10.42.0.1/24\n")
	h.tool("ip", `case "$*" in
"route flush root 10.42.0.0/16") `+flush+` ;;
"route show root 10.42.0.0/16") cat ROOT/routes ;;
esac`)
	executable(h.t, h.path("usr/local/bin/k3s-uninstall.sh"),
		h.rooted("#!/bin/sh\nrm -r /run/flannel \"$0\"\n"))
}

// K3s's own scripts leave these routes (k3s-io/k3s#2808), which would misroute traffic to Pods of
// the host's next cluster.
func TestUninstallDeletesRoutesToPodsOfOtherNodes(t *testing.T) {
	h := newFakeHost(t)
	h.mark()
	routesOfPods(h, "true > ROOT/routes")
	out, code := h.run("k3s-uninstall.sh", "")
	assert.Zero(t, code, out)
	assert.Empty(t, h.read("routes"))
}

func TestUninstallFailsWhilePodRouteRemains(t *testing.T) {
	h := newFakeHost(t)
	h.mark()
	routesOfPods(h, "true")
	out, code := h.run("k3s-uninstall.sh", "")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "route: 10.42.1.0/24 via 10.10.0.12 dev eth0\n")
}

func TestUninstallIgnoresForeignResources(t *testing.T) {
	h := newFakeHost(t)
	h.mark()
	h.write("says/ip", "2: eth0: <UP> mtu 1500\n3: docker0: <UP> mtu 1500\n4: vethab12@if3: <UP> "+
		"mtu 1500\n5: cni1: <UP> mtu 1500\n")
	h.write("says/iptables-save", ":DOCKER - [0:0]\n-A INPUT -j ACCEPT -m comment --comment KUBE-LIKE\n")
	h.write("proc/self/mounts", "tmpfs "+h.root+"/run/user/0 tmpfs rw 0 0\n")
	h.write("sys/fs/cgroup/docker/1/cgroup.procs", "4711\n")
	h.write("var/log/containers/another.log", "no link")
	// This socket belongs to the host's own containerd, which listens below /run/containerd.
	h.write("run/containerd/containerd.sock", "")
	h.write("proc/net/unix", "ffff: 00000002 00000000 00010000 0001 01 4711 "+h.root+
		"/run/containerd/containerd.sock\n")
	out, code := h.run("k3s-uninstall.sh", "")
	assert.Zero(t, code, out)
	assert.True(t, h.exists("run/containerd/containerd.sock"))
	assert.True(t, h.exists("var/log/containers/another.log"))
}

// mark writes the owner mark of this cluster on the fake host, as a claim does.
func (h *fakeHost) mark() {
	_, code := h.run("k3s-claim.sh", "")
	require.Zero(h.t, code)
}

// A host without an owner file and without K3s may run kubeadm, RKE2 or k0s. Their Pods have files
// in the same folders as K3s's, and the uninstall must not delete them.
func TestUninstallKeepsOtherKubernetes(t *testing.T) {
	for name, files := range map[string][]string{
		"kubeadm": {"etc/kubernetes/kubelet.conf", "var/lib/kubelet/config.yaml"},
		"RKE2": {"etc/rancher/rke2/config.yaml", "var/lib/rancher/rke2/server/token",
			"var/lib/kubelet/pods/x", "usr/local/bin/kubectl"},
		"k0s": {"etc/k0s/k0s.yaml", "var/lib/k0s/kubelet/pods/x"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t)
			files := append(files, "var/log/pods/kube-system_etcd_1/etcd/0.log",
				"run/containerd/containerd.sock", "sys/fs/cgroup/kubepods.slice/cgroup.procs")
			for _, file := range files {
				h.write(file, "another's")
			}
			h.write("etc/modules-load.d/strata-k3s.conf", "overlay\n")
			out, code := h.run("k3s-uninstall.sh", "")
			assert.Zero(t, code, out)
			assert.Contains(t, out, "has no mark and no K3s; what else runs there was left alone")
			assert.Empty(t, h.read("systemctl.log"), "nothing was stopped")
			for _, file := range files {
				assert.Equal(t, "another's", h.read(file), file)
			}
			assert.False(t, h.exists("etc/modules-load.d/strata-k3s.conf"), "Strata wrote it")
			assert.False(t, h.exists("var/lib/strata"), "Strata wrote it")
		})
	}
}

// process fakes a process, in /proc, that runs an executable of the fake host.
func (h *fakeHost) process(pid, executable string) {
	require.NoError(h.t, os.MkdirAll(h.path("proc/"+pid), 0o755))
	require.NoError(h.t, os.Symlink(h.rooted(executable), h.path("proc/"+pid+"/exe")))
}
