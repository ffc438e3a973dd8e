package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// libvirt creates a real virtual machine with Debian's kernel under QEMU. The story runs from the
// first boot to the removal of the last file.
func TestLibvirtCreatesVirtualMachineForK3s(t *testing.T) {
	net := network{"stv0", "10.19.0"}
	server := node{"server-1", "server", 11}
	l := newHypervisor(t, "e2e-vm", net)
	s := newStack(t, "e2e-libvirt", l.sections(t, server, nil))
	s.env = append(s.env, "STRATA_MACHINE_IMAGE="+l.bundle)
	const name = "strata-e2e-libvirt-server-1"
	s.step("another owner's domain of the same name is named, and not changed", func(t *testing.T) {
		foreign := `<domain type="qemu"><name>` + name +
			`</name><memory unit="MiB">64</memory><os><type arch="x86_64">hvm</type></os></domain>`
		l.virshWith(t, foreign, "define", "/dev/stdin")
		s.refused(t, s.up(), name, "did not make")
		assert.Contains(t, l.virsh(t, "list", "--all", "--name"), name)
		l.virsh(t, "undefine", name)
	})
	s.step("a missing pool is named", func(t *testing.T) {
		s.configure(l.sections(t, server, map[string]any{"pool": "nowhere"}))
		s.refused(t, s.up(), "nowhere", "strata:hosts.libvirt.pool")
		s.configure(l.sections(t, server, nil))
	})
	s.step("the virtual machine boots, and K3s runs on it", func(*testing.T) { s.must(s.up()) })
	s.step("cloud-init has applied the configuration and the pinned host key",
		func(t *testing.T) {
			host := s.dial(t, "hosts-server-1-gate")
			for script, want := range map[string]string{
				"cat /run/cloud-init/cloud-id": "nocloud", "hostname": "server-1",
				"lsmod": "br_netfilter", "sysctl -n vm.max_map_count": "262144",
				"df -BG --output=size / | tail -1":         "8G",
				"stat -c %a /etc/ssh/ssh_host_ed25519_key": "600",
				"timedatectl show --property=NTP":          "NTP=yes", "uname -r": "cloud-amd64",
			} {
				result, err := host.Run(t.Context(), script, nil)
				if assert.NoError(t, err, script) {
					assert.Contains(t, string(result.Stdout), want, script)
				}
			}
		})
	s.step("a rerun changes nothing", func(*testing.T) { s.must(s.up("--expect-no-changes")) })
	s.step("a disk grows without a restart", func(t *testing.T) {
		id := strings.TrimSpace(l.virsh(t, "domid", name))
		s.configure(l.sections(t, server, map[string]any{"diskGiB": 9}))
		s.must(s.up())
		assert.Contains(t, l.virsh(t, "vol-info", "--pool", l.pool, name+".qcow2"), "9.00 GiB")
		assert.Equal(t, id, strings.TrimSpace(l.virsh(t, "domid", name)),
			"it was neither replaced nor restarted")
	})
	s.step("a smaller disk is refused", func(t *testing.T) {
		s.configure(l.sections(t, server, map[string]any{"diskGiB": 8}))
		s.refused(t, s.up(), "cannot shrink", "strata:hosts.vm.diskGiB")
		s.configure(l.sections(t, server, map[string]any{"diskGiB": 9}))
	})
	s.step("gates pass after a reboot", func(t *testing.T) {
		before := l.bootID(t, s)
		_, err := s.dial(t, "hosts-server-1-gate").Run(t.Context(), "systemctl reboot", nil)
		t.Logf("reboot: %v", err) // the connection may end before the command
		s.must(s.health("--timeout", "15m"))
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
