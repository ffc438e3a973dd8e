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

	"strata/internal/remote"
)

// A real virtual machine: Debian's kernel under QEMU, made by libvirt, from its first boot to its last file.
func TestLibvirtMakesAVirtualMachineForK3s(t *testing.T) {
	net := network{"stv0", "10.19.0"}
	server := node{"server-1", "server", 11}
	l := newHypervisor(t, "e2e-vm", net)
	s := newStack(t, "e2e-libvirt", l.sections(t, server, nil))
	s.env = append(s.env, "STRATA_MACHINE_IMAGE="+l.bundle)
	const name = "strata-e2e-libvirt-server-1"
	s.step("a domain of somebody else's in the way is named and left alone", func(t *testing.T) {
		foreign := `<domain type="qemu"><name>` + name + `</name><memory unit="MiB">64</memory><os><type arch="x86_64">hvm</type></os></domain>`
		l.virshWith(t, foreign, "define", "/dev/stdin")
		s.refused(t, s.up(), name, "did not make")
		assert.Contains(t, l.virsh(t, "list", "--all", "--name"), name)
		l.virsh(t, "undefine", name)
	})
	s.step("a pool that is not there is named", func(t *testing.T) {
		s.configure(l.sections(t, server, map[string]any{"pool": "nowhere"}))
		s.refused(t, s.up(), "nowhere", "strata:hosts.libvirt.pool")
		s.configure(l.sections(t, server, nil))
	})
	s.step("it boots, and K3s comes up on it", func(t *testing.T) { s.must(s.up()) })
	s.step("cloud-init made what was asked for, with the key that was pinned before the boot", func(t *testing.T) {
		host := s.dial(t, "hosts-server-1-gate")
		for script, want := range map[string]string{
			"cat /run/cloud-init/cloud-id": "nocloud", "hostname": "server-1", "lsmod": "br_netfilter", "sysctl -n vm.max_map_count": "262144",
			"df -BG --output=size / | tail -1":         "8G",
			"stat -c %a /etc/ssh/ssh_host_ed25519_key": "600", "timedatectl show -P NTP": "yes", "uname -r": "cloud-amd64",
		} {
			result, err := host.Run(t.Context(), script, nil)
			require.NoError(t, err, script)
			assert.Contains(t, string(result.Stdout), want, script)
		}
	})
	s.step("a second up changes nothing", func(*testing.T) { s.must(s.up("--expect-no-changes")) })
	s.step("a disk grows in place", func(t *testing.T) {
		id := strings.TrimSpace(l.virsh(t, "domid", name))
		s.configure(l.sections(t, server, map[string]any{"diskGiB": 9}))
		s.must(s.up())
		assert.Contains(t, l.virsh(t, "vol-info", "--pool", l.pool, name+".qcow2"), "9.00 GiB")
		assert.Equal(t, id, strings.TrimSpace(l.virsh(t, "domid", name)), "it was neither replaced nor restarted")
	})
	s.step("a disk that shall shrink is refused", func(t *testing.T) {
		s.configure(l.sections(t, server, map[string]any{"diskGiB": 8}))
		s.refused(t, s.up(), "cannot shrink", "strata:hosts.vm.diskGiB")
		s.configure(l.sections(t, server, map[string]any{"diskGiB": 9}))
	})
	s.step("a reboot keeps it so", func(t *testing.T) {
		before := l.bootID(t, s)
		_, err := s.dial(t, "hosts-server-1-gate").Run(t.Context(), "systemctl reboot", nil)
		t.Logf("reboot: %v", err) // the connection may end before the command does
		s.must(s.run(strata, "health", "--stack", s.name, "--timeout", "15m"))
		assert.NotEqual(t, before, l.bootID(t, s), "it rebooted")
	})
	s.step("destroy leaves no domain, volume, lease or file", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
		assert.NotContains(t, l.virsh(t, "list", "--all", "--name"), "strata-")
		assert.Empty(t, strings.TrimSpace(l.virsh(t, "vol-list", "--pool", l.pool)))
		assert.Empty(t, strings.TrimSpace(l.virsh(t, "net-dhcp-leases", l.net.bridge)))
		for _, pattern := range []string{l.dir + "/*", "/var/log/libvirt/qemu/strata-*", "/etc/libvirt/qemu/strata-*", "/etc/libvirt/qemu/autostart/strata-*"} {
			files, err := filepath.Glob(pattern)
			require.NoError(t, err)
			assert.Empty(t, files)
		}
	})
}

// hypervisor is libvirt on this machine, with a pool and a network of the story's own.
type hypervisor struct {
	net               network
	pool, dir, bundle string
}

// newHypervisor starts libvirt where it does not run, and takes away what the story leaves.
func newHypervisor(t *testing.T, pool string, net network) *hypervisor {
	t.Helper()
	if os.Getenv("E2E_VM") == "" {
		t.Skip("QEMU emulates the machine, which takes half an hour: make test-vm runs this")
	}
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	l := &hypervisor{net: net, pool: pool, dir: "/var/lib/libvirt/images/" + pool, bundle: filepath.Join(cache, "strata/vm-bundle")}
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

// startLibvirt starts libvirt's daemons, as systemd would; this machine's first process may be another one.
func startLibvirt(t *testing.T) {
	t.Helper()
	if exec.Command("virsh", "-q", "-c", "qemu:///system", "uri").Run() == nil {
		return
	}
	// QEMU runs as root: a KVM that only root may use is there for libvirt, and were it not for its QEMU, libvirt would ask that for its
	// capabilities anew at every turn, two seconds each.
	config := filepath.Join(t.TempDir(), "qemu.conf")
	require.NoError(t, os.WriteFile(config, []byte("user = \"root\"\ngroup = \"root\"\n"), 0o600))
	for _, daemon := range []string{"virtlogd", "libvirtd"} {
		const start = `mount --bind "$1" /etc/libvirt/qemu.conf && exec "$2" --daemon`
		output, err := exec.Command("unshare", "--mount", "sh", "-c", start, "sh", config, daemon).CombinedOutput()
		require.NoError(t, err, "%s: %s", daemon, output)
	}
	require.Eventually(t, func() bool { return exec.Command("virsh", "-q", "-c", "qemu:///system", "uri").Run() == nil }, 30*time.Second, 100*time.Millisecond)
	t.Cleanup(func() {
		for _, daemon := range []string{"libvirtd", "virtlogd"} {
			if pid, err := os.ReadFile("/run/" + daemon + ".pid"); err == nil {
				assert.NoError(t, exec.Command("kill", strings.TrimSpace(string(pid))).Run())
			}
		}
	})
}

// clean takes away everything of the story: machines, network, pool.
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

// sections is a stack with one virtual machine. Emulated processors are slow, and so are its bounds.
func (l *hypervisor) sections(t *testing.T, server node, change map[string]any) map[string]any {
	t.Helper()
	virtual := map[string]any{"cpus": 2, "memoryMiB": 2560, "diskGiB": 8, "sysctls": map[string]any{"vm.max_map_count": "262144"}}
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
			"driver": "libvirt", "subnet": l.net.subnet(), "ssh": map[string]any{"user": "strata"}, "vm": virtual, "libvirt": libvirt,
			"nodes": []any{map[string]any{"name": server.name, "role": server.role, "address": l.net.address(server.host)}},
		},
		"metallb": map[string]any{"enabled": false}, "certManager": map[string]any{"enabled": false},
		"timeouts": map[string]any{"host": "15m", "api": "20m", "nodes": "20m", "install": "15m"},
	}
}

func (l *hypervisor) bootID(t *testing.T, s *stack) string {
	t.Helper()
	result, err := s.dial(t, "hosts-server-1-gate").Run(t.Context(), "cat /proc/sys/kernel/random/boot_id", nil)
	require.NoError(t, err)
	return string(result.Stdout)
}

// dial reaches the host of a gate as the gate does: with the pin and the key that the state has.
func (s *stack) dial(t *testing.T, gate string) *remote.Client {
	t.Helper()
	r := s.must(s.run("pulumi", "stack", "export", "--stack", s.name, "--show-secrets"))
	var export struct {
		Deployment struct {
			Resources []struct {
				URN    string
				Inputs struct {
					Stdin       string
					Environment json.RawMessage
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.output), &export))
	for _, resource := range export.Deployment.Resources {
		if !strings.HasSuffix(resource.URN, "::"+gate) {
			continue
		}
		var spec struct{ Hosts []remote.Target }
		require.NoError(t, json.Unmarshal([]byte(resource.Inputs.Stdin), &spec))
		client, err := remote.Dial(t.Context(), spec.Hosts[0], []byte(secretIn(t, resource.Inputs.Environment, "STRATA_SSH_KEY")))
		require.NoError(t, err)
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
	require.Fail(t, "no gate "+gate)
	return nil
}

// secretIn is a variable of a command's environment, in a state with its secrets shown.
func secretIn(t *testing.T, environment json.RawMessage, name string) string {
	t.Helper()
	plain := struct{ Plaintext string }{string(environment)}
	if err := json.Unmarshal(environment, &plain); err != nil || plain.Plaintext == "" {
		plain.Plaintext = string(environment)
	}
	var values map[string]any
	require.NoError(t, json.Unmarshal([]byte(plain.Plaintext), &values))
	if secret, ok := values[name].(map[string]any); ok {
		var text string
		require.NoError(t, json.Unmarshal([]byte(secret["plaintext"].(string)), &text))
		return text
	}
	text, ok := values[name].(string)
	require.True(t, ok, "no %s", name)
	return text
}
