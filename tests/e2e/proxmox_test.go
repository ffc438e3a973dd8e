package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A staging platform runs on machines that Strata creates on a Proxmox VE node. tests/pve stands in
// for the node's commands, and each machine boots with its real cloud-init seed.
func TestStagingOnProxmox(t *testing.T) {
	t.Parallel()
	network := network{"stx0", "10.20.0"}
	all := []node{{"server-1", "server", 11}, {"server-2", "server", 12},
		{"server-3", "server", 13}, {"agent-1", "agent", 21}, {"agent-2", "agent", 22}}
	pve := newPVE(t, "e2e-proxmox", network, all...)
	s := newStack(t, "e2e-proxmox", pve.sections(nil, all...))
	s.step("a missing template is named", func(t *testing.T) {
		s.configure(pve.sections(map[string]any{"template": 9001}, all...))
		s.refused(t, s.up(), "no template 9001", "strata:hosts.proxmox.template")
	})
	s.step("a full storage is named", func(t *testing.T) {
		s.configure(pve.sections(nil, all...))
		pve.write("storage.json", map[string]int{"local-lvm": 4, "local": 10})
		s.refused(t, s.up(), "storage is full", "local-lvm")
		pve.write("storage.json", map[string]int{"local-lvm": 200, "local": 10})
	})
	s.step("an update creates the configured machines", func(t *testing.T) {
		s.must(s.up())
		assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
		assert.Len(t, pve.guests(t), len(all)+2,
			"the machines, the template, and the one of another owner")
	})
	s.step("a LoadBalancer Service answers from outside", func(t *testing.T) {
		serve(t, s.client(), "hello")
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.step("a rerun changes nothing", func(*testing.T) { s.must(s.up("--expect-no-changes")) })
	s.step("without consent, no change replaces a machine",
		func(t *testing.T) { s.losesNoMachine(t, pve, all...) })
	s.step("with consent, one server's machine is replaced and the cluster's data remains",
		func(t *testing.T) { s.makesAServerAnew(t, pve, all...) })
	s.step("all machines get more memory, and the gates pass",
		func(t *testing.T) {
			s.configure(pve.sections(map[string]any{"memoryMiB": 3072}, all...))
			r := s.must(s.up())
			for _, n := range all {
				assert.Contains(t, r.output,
					"strata-e2e-proxmox-"+n.name+
						": from 2 processors and 2048 MiB to 2 and 3072 MiB")
			}
			s.healthy()
		})
	s.step("health names a stopped machine", func(t *testing.T) {
		pve.run(t, "qm", "stop", pve.id(t, "strata-e2e-proxmox-agent-2"))
		s.unhealthy(t, nil, "hosts-agent-2-boot", "stopped")
		pve.run(t, "qm", "start", pve.id(t, "strata-e2e-proxmox-agent-2"))
		s.healthy()
	})
	s.step("destroy without an answer of the hypervisor ends, and names the next command",
		func(t *testing.T) {
			pve.silent(func() { s.refused(t, s.destroy(), "hypervisor", "pulumi state delete") })
		})
	s.step("destroy removes the stack's machines, and no others", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
		assert.Equal(t, []string{"100.json", "9000.json"}, pve.guests(t))
		seeds, err := filepath.Glob(filepath.Join(pve.dir, "local/template/iso/*"))
		require.NoError(t, err)
		assert.Empty(t, seeds)
		assert.NotContains(t, pve.machines.running(t), "strata-e2e-proxmox-")
	})
}

// If a machine does not boot, the update names the cause, and the next update continues.
func TestProxmoxBootFailuresAreNamed(t *testing.T) {
	t.Parallel()
	server := node{"server-1", "server", 11}
	pve := newPVE(t, "e2e-slow", network{"sty0", "10.21.0"}, server)
	s := newStack(t, "e2e-slow", nil)
	with := func(host string, change map[string]any) {
		sections := pve.sections(change, server)
		sections["timeouts"] = map[string]any{"host": host}
		sections["metallb"] = map[string]any{"enabled": false}
		s.configure(sections)
	}
	s.step("a failure of cloud-init is named with its log", func(t *testing.T) {
		with(patient, map[string]any{"modules": []any{"no_such_module"}})
		s.refused(t, s.up(), "hosts-server-1-gate", "cloud-init", "bootcmd")
	})
	s.step("a missing lease is named, and a lease of another address",
		func(t *testing.T) {
			s.must(s.destroy()) // DHCP only applies to a new machine
			up := func(limit string) result {
				with(limit, map[string]any{"dhcp": true})
				return s.up()
			}
			pve.write("faults.json", map[string]string{"bootDelay": "24h"})
			s.refusedWithin(t, 15*time.Second, up, "hosts-server-1-boot",
				"expected 10.21.0.11, found no lease and no answer")
			pve.write("faults.json", map[string]string{"bootDelay": "24h",
				"address": "10.21.0.77"})
			s.refusedWithin(t, 15*time.Second, up, "hosts-server-1-boot",
				"expected 10.21.0.11, found 10.21.0.77", "reserve 10.21.0.11 for")
		})
	s.step("a boot that takes longer than the timeout is named", func(t *testing.T) {
		s.must(s.destroy())
		pve.write("faults.json", map[string]string{"bootDelay": "120s"})
		with("20s", nil)
		s.refused(t, s.up(), "hosts-server-1-gate", "timed out after 20",
			"strata:timeouts.host is 20s")
	})
	s.step("with a longer timeout, the same machine joins", func(t *testing.T) {
		id := pve.id(t, "strata-e2e-slow-server-1")
		with(patient, nil)
		s.must(s.up())
		assert.Equal(t, id, pve.id(t, "strata-e2e-slow-server-1"))
		assert.Equal(t, []string{"server-1"}, nodeNames(t, s.client()))
	})
	s.step("another host key than the pinned one is refused", func(t *testing.T) {
		host := s.dial(t, "hosts-server-1-gate")
		inRoot := func(script string) {
			_, err := host.Run(t.Context(), "set -e; cd /etc/ssh; "+script, nil)
			require.NoError(t, err)
		}
		inRoot("cp -a ssh_host_ed25519_key kept; rm ssh_host_*_key; ssh-keygen -q -t ed25519 -N " +
			"'' -f ssh_host_ed25519_key; systemctl restart ssh")
		s.unhealthy(t, nil, "hosts-server-1-gate", "host key of", "is not the pinned one")
		inRoot("mv kept ssh_host_ed25519_key; ssh-keygen -y -f ssh_host_ed25519_key > " +
			"ssh_host_ed25519_key.pub; systemctl restart ssh")
		s.healthy()
	})
	s.step("destroy leaves nothing", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
		assert.Equal(t, []string{"100.json", "9000.json"}, pve.guests(t))
	})
}

// urn returns the URN of a resource in the state.
func (s *stack) urn(t *testing.T, name string) string {
	t.Helper()
	r := s.must(s.run("pulumi", "stack", "export", "--stack", s.name))
	for _, part := range strings.Split(r.output, `"`) {
		if strings.HasPrefix(part, "urn:pulumi:") && strings.HasSuffix(part, "::"+name) {
			return part
		}
	}
	require.Fail(t, "no resource "+name)
	return ""
}
