package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

// hypervisor is libvirt on this machine, with a pool and a network for the story.
type hypervisor struct {
	net               network
	pool, dir, bundle string
}

// newHypervisor starts libvirt if it does not run, and removes leftovers of the story.
func newHypervisor(t *testing.T, pool string, net network) *hypervisor {
	t.Helper()
	if os.Getenv("E2E_VM") == "" {
		t.Skip("QEMU emulates the machine, which takes half an hour: make test-vm runs this")
	}
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	l := &hypervisor{net: net, pool: pool, dir: "/var/lib/libvirt/images/" + pool,
		bundle: filepath.Join(cache, "strata/vm-bundle")}
	if _, err := os.Stat(filepath.Join(l.bundle, "manifest.json")); err != nil {
		t.Skip("needs the disk image of virtual machines: make lab-vm builds it")
	}
	startLibvirt(t)
	l.clean(t)
	t.Cleanup(func() {
		if t.Failed() && os.Getenv("E2E_KEEP") != "" {
			t.Logf("kept: virsh list --all; the consoles are /var/log/libvirt/qemu/strata-*-console.log")
			return
		}
		l.clean(t)
	})
	require.NoError(t, os.MkdirAll(l.dir, 0o711))
	l.virsh(t, "pool-create-as", pool, "dir", "--target", l.dir)
	l.virshWith(t, `<network><name>`+net.bridge+`</name><bridge name="`+net.bridge+`" stp="off"/><ip address="`+net.address(1)+`" prefix="24">
		<dhcp><range start="`+net.address(100)+`" end="`+net.address(109)+`"/></dhcp></ip></network>`, "net-create", "/dev/stdin")
	return l
}

// startLibvirt starts libvirt's daemons without systemd, which this machine may lack.
func startLibvirt(t *testing.T) {
	t.Helper()
	if exec.Command("virsh", "-q", "-c", "qemu:///system", "uri").Run() == nil {
		return
	}
	// QEMU runs as root, so that libvirt can use KVM if only root may. Otherwise libvirt would
	// query QEMU's capabilities repeatedly, for two seconds each time.
	config := filepath.Join(t.TempDir(), "qemu.conf")
	require.NoError(t, os.WriteFile(config, []byte("user = \"root\"\ngroup = \"root\"\n"), 0o600))
	for _, daemon := range []string{"virtlogd", "libvirtd"} {
		const start = `mount --bind "$1" /etc/libvirt/qemu.conf && exec "$2" --daemon`
		output, err := exec.Command("unshare", "--mount", "sh", "-c", start, "sh", config,
			daemon).CombinedOutput()
		require.NoError(t, err, "%s: %s", daemon, output)
	}
	require.Eventually(t, func() bool {
		return exec.Command("virsh", "-q", "-c", "qemu:///system",
			"uri").Run() == nil
	}, 30*time.Second, 100*time.Millisecond)
	t.Cleanup(func() {
		for _, daemon := range []string{"libvirtd", "virtlogd"} {
			if pid, err := os.ReadFile("/run/" + daemon + ".pid"); err == nil {
				assert.NoError(t, exec.Command("kill", strings.TrimSpace(string(pid))).Run())
			}
		}
	})
}

// clean removes the story's machines, network and pool.
func (l *hypervisor) clean(t *testing.T) {
	t.Helper()
	for _, domain := range strings.Fields(l.virsh(t, "list", "--all", "--name")) {
		if !strings.HasPrefix(domain, "strata-e2e-") {
			continue
		}
		if strings.TrimSpace(l.virsh(t, "domstate", domain)) != "shut off" {
			l.virsh(t, "destroy", domain)
		}
		l.virsh(t, "undefine", domain)
	}
	if strings.Contains(l.virsh(t, "net-list", "--name"), l.net.bridge) {
		l.virsh(t, "net-destroy", l.net.bridge)
	}
	if strings.Contains(l.virsh(t, "pool-list", "--name"), l.pool) {
		l.virsh(t, "pool-destroy", l.pool)
	}
	require.NoError(t, os.RemoveAll(l.dir))
}

func (l *hypervisor) virsh(t *testing.T, words ...string) string {
	t.Helper()
	return l.virshWith(t, "", words...)
}

func (l *hypervisor) virshWith(t *testing.T, stdin string, words ...string) string {
	t.Helper()
	cmd := exec.Command("virsh", append([]string{"-q", "-c", "qemu:///system"}, words...)...)
	cmd.Stdin = strings.NewReader(stdin)
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "virsh %v: %s", words, output)
	return string(output)
}

// sections returns the configuration of one virtual machine; change overrides its settings. The
// timeouts are long, because the processors are emulated and slow.
func (l *hypervisor) sections(t *testing.T, server node, change map[string]any) map[string]any {
	t.Helper()
	virtual := map[string]any{"cpus": 2, "memoryMiB": 2560, "diskGiB": 8,
		"sysctls": map[string]any{"vm.max_map_count": "262144"}}
	libvirt := map[string]any{"pool": l.pool, "network": l.net.bridge, "type": "qemu"}
	for key, value := range change {
		if _, ofVM := virtual[key]; ofVM {
			virtual[key] = value
		} else {
			libvirt[key] = value
		}
	}
	return map[string]any{
		"hosts": map[string]any{
			"driver": "libvirt", "subnet": l.net.subnet(), "ssh": map[string]any{"user": "strata"},
			"vm": virtual, "libvirt": libvirt,
			"nodes": []any{map[string]any{"name": server.name, "role": server.role,
				"address": l.net.address(server.host)}},
		},
		"metallb":     map[string]any{"enabled": false},
		"certManager": map[string]any{"enabled": false},
		"timeouts": map[string]any{"host": "15m", "api": "20m", "nodes": "20m",
			"install": "15m"},
	}
}

func (l *hypervisor) bootID(t *testing.T, s *stack) string {
	t.Helper()
	result, err := s.dial(t, "hosts-server-1-gate").Run(t.Context(),
		"cat /proc/sys/kernel/random/boot_id", nil)
	require.NoError(t, err)
	return string(result.Stdout)
}

// dial connects to a gate's host in the same way as the gate.
func (s *stack) dial(t *testing.T, gate string) *remote.Client {
	t.Helper()
	target, key := s.access(t, gate)
	client, err := remote.Dial(t.Context(), target, key)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// access returns the login of a gate to its host, with the host key and the private key from the
// state.
func (s *stack) access(t *testing.T, gate string) (remote.Target, []byte) {
	t.Helper()
	state, err := stackstate.Parse(s.exported())
	require.NoError(t, err)
	command, ok := state.Lookup(gate)
	require.True(t, ok, "no gate %s", gate)
	var spec struct{ Hosts []remote.Target }
	require.NoError(t, json.Unmarshal([]byte(command.Input("stdin")), &spec))
	return spec.Hosts[0], []byte(command.Environment("STRATA_SSH_KEY"))
}
