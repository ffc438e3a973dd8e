package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onProxmox returns stack proxmox, deployed.
func onProxmox(t *testing.T) *stack {
	t.Helper()
	s := newStack(t, "proxmox")
	s.mustUp()
	return s
}

// A change of a machine's address, login or fixed properties must not recreate the machine. The
// machine's workload would be lost, and later steps on it would not run again.
func TestConfigurationChangesReplaceNoMachine(t *testing.T) {
	changes := map[string]func(s *stack){
		"the hypervisor's user": func(s *stack) {
			s.set("hosts", "hypervisor", map[string]any{"address": "10.10.0.2", "user": "admin"})
		},
		"the hypervisor's port": func(s *stack) {
			s.set("hosts", "hypervisor", map[string]any{"address": "10.10.0.2", "port": 2222})
		},
		"the hypervisor's address": func(s *stack) {
			s.set("hosts", "hypervisor", map[string]any{"address": "pve.example.org"})
		},
		"the template": func(s *stack) {
			s.set("hosts", "proxmox", map[string]any{"template": 9001})
		},
		"the storage": func(s *stack) {
			s.set("hosts", "proxmox", map[string]any{"template": 9000, "storage": "ceph"})
		},
		"the SSH user": func(s *stack) {
			s.set("hosts", "ssh", map[string]any{"user": "admin"})
		},
		"the gateway": func(s *stack) {
			s.set("hosts", "vm", map[string]any{"gateway": "10.10.0.254"})
		},
		"an address": func(s *stack) { s.node("agent-1")["address"] = "10.10.0.29" },
		"the bridge": func(s *stack) {
			s.set("hosts", "proxmox", map[string]any{"template": 9000, "bridge": "vmbr9"})
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			s := onProxmox(t)
			machines := machinesOf(s)
			require.NotEmpty(t, machines)
			change(s)
			did := s.mustUp().actions
			for _, machine := range machines {
				assert.Nil(t, did.find("delete", machine), machine)
				assert.Nil(t, did.find("create", machine), machine)
			}
		})
	}
}

// machinesOf returns the resources of the machines that Strata creates.
func machinesOf(s *stack) []string {
	var names []string
	for name := range s.stored() {
		if strings.HasSuffix(name, "-vm") {
			names = append(names, name)
		}
	}
	return names
}

// Two consents in one run: the guard refuses before any machine changes.
func TestNoMachineChangesIfMachineGuardRefuses(t *testing.T) {
	s := onProxmox(t)
	s.node("server-1")["recreate"], s.node("server-2")["recreate"] = "a", "b"
	s.fail("update", "hosts-machine-guard")
	refused := s.up()
	require.Error(t, refused.err)
	for _, machine := range machinesOf(s) {
		for _, verb := range []string{"create", "update", "delete"} {
			assert.Nil(t, refused.actions.find(verb, machine), machine)
		}
	}
}

// With consent, one machine is recreated, and all steps on it run again, in the order of a first
// update.
func TestRecreateReplacesMachineAndRunsItsStepsAgain(t *testing.T) {
	s := onProxmox(t)
	s.node("server-2")["recreate"] = "disk-broken"
	did := s.mustUp().actions
	assert.True(t, did.before("update", "hosts-machine-guard", "delete", "hosts-server-2-vm"))
	assert.True(t, did.before("delete", "hosts-server-2-vm", "create", "hosts-server-2-vm"))
	order := []string{
		"hosts-server-2-vm", "hosts-server-2-boot", "hosts-server-2-gate", "k3s-server-2-binary",
		"k3s-server-2-admission", "k3s-server-2-install", "k3s-server-2-gate",
		"k3s-nodes",
	}
	ran := func(name string) *action {
		if updated := did.find("update", name); updated != nil {
			return updated
		}
		return did.find("create", name)
	}
	for i, name := range order[1:] {
		if assert.NotNil(t, ran(name), name) && name != "k3s-server-2-admission" { // which waits for no push
			assert.Less(t, ran(order[i]).end, ran(name).start, "%s before %s", order[i], name)
		}
	}
	for _, machine := range machinesOf(s) {
		if machine != "hosts-server-2-vm" {
			assert.Nil(t, did.find("delete", machine), machine)
		}
	}
	assert.False(t, slices.Contains(did.names("delete"), "k3s-server-2-claim"))
	assert.Empty(t, s.mustUp().changed(), "a word counts once")

	delete(s.node("server-2"), "recreate")
	assert.Equal(t, []string{"hosts-machine-guard"}, s.mustUp().actions.names("update"),
		"it has left the configuration, and changes nothing else")
	s.node("server-2")["recreate"] = "disk-broken"
	again := s.mustUp().actions
	assert.Nil(t, again.find("delete", "hosts-server-2-vm"), "it has been used")
	s.node("server-2")["recreate"] = "broken-again"
	assert.NotNil(t, s.mustUp().actions.find("delete", "hosts-server-2-vm"))
}

// With consent, the preview shows one machine and its commands as replaced, and no object of the
// cluster. Pulumi 3.260 and later replaces commands with the resource of their deletedWith.
func TestPreviewOfRecreateShowsOneMachineReplaced(t *testing.T) {
	s := onProxmox(t)
	s.node("agent-1")["recreate"] = "older-processor"
	seen := s.preview()
	require.NoError(t, seen.err)
	assert.Contains(t, seen.steps["hosts-agent-1-vm"], "replace")
	for name, steps := range seen.changed() {
		if s.loses(name, steps) {
			assert.Contains(t, name, "-agent-1-", "%v", steps)
		}
	}
}
