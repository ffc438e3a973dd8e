package graph_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/pulumitest"
)

// virtual returns sections of a stack on machines that libvirt creates. No such stack is committed,
// because every user would download its image.
func virtual(more map[string]any) map[string]any {
	hosts := map[string]any{
		"driver": "libvirt", "subnet": "10.10.0.0/24", "ssh": map[string]any{"user": "strata"},
		"nodes": []any{
			map[string]any{"name": "server-1", "role": "server", "address": "10.10.0.11"},
			map[string]any{"name": "agent-1", "role": "agent", "address": "10.10.0.21"},
		},
	}
	maps.Copy(hosts, more)
	return hosts
}

func TestGraphRulesHoldOnVirtualMachines(t *testing.T) {
	for _, one := range []struct {
		name string
		more map[string]any
	}{
		{"libvirt_here", nil},
		{"libvirt_elsewhere",
			map[string]any{"hypervisor": map[string]any{"address": "10.10.0.2"},
				"vm": map[string]any{"dhcp": true, "protect": true}}},
	} {
		t.Run(one.name, func(t *testing.T) {
			p := newProgram(t, "proxmox") // the rules read its configuration
			p.cfg.Hosts.Nodes = slices.DeleteFunc(p.cfg.Hosts.Nodes, func(node config.Node) bool {
				return node.Name != "server-1" && node.Name != "agent-1"
			})
			p.set(t, "hosts", virtual(one.more))
			g := p.graph(t)
			for _, rule := range rules {
				if rule.name != "each resource waits for the gates of its layer" { // only for committed stacks
					assert.Empty(t, rule.check(p, g), rule.name)
				}
			}
			only := g.clone()
			for name := range only {
				if !strings.HasPrefix(name, "hosts") {
					delete(only, name)
				}
			}
			golden(t, filepath.Join(root, "tests/graph/testdata/hosts_"+one.name+".golden"),
				only.text())
		})
	}
}

func TestVirtualMachinesDoNotWaitForEachOther(t *testing.T) {
	p := newProgram(t, "proxmox")
	g := p.graph(t)
	for _, node := range p.cfg.Hosts.Nodes {
		mine := "hosts-" + node.Name + "-"
		assert.True(t, g.reaches("k3s-"+node.Name+"-install", mine+"gate"),
			"its own gate starts its K3s")
		assert.True(t, g.reaches(mine+"gate", mine+"boot"))
		for _, name := range []string{mine + "vm", mine + "boot", mine + "gate"} {
			for _, need := range g[name].Dependencies {
				other := strings.HasPrefix(need, "hosts-server-") ||
					strings.HasPrefix(need, "hosts-agent-")
				assert.False(t, other && !strings.HasPrefix(need, mine), "%s waits for %s",
					name, need)
			}
		}
	}
}

func TestHostKeyIsSetAndPinnedBeforeMachineBoots(t *testing.T) {
	p := newProgram(t, "proxmox")
	g := p.graph(t)
	machine := g["hosts-server-1-vm"]
	assert.Contains(t, machine.Dependencies, "hosts-server-1-identity")
	environment, marked := machine.Input("environment")
	require.True(t, environment.IsObject() || marked)
	assert.True(t, pulumitest.Contains(environment, secondLine(p.answers.MachineKey)),
		"the machine gets its host key")
	assert.False(t, slices.ContainsFunc(g.names(), func(name string) bool {
		return name == "hosts-server-1-hostkey"
	}), "there is no first contact")
	assert.Contains(t, g["hosts-server-1-gate"].Dependencies, "hosts-server-1-identity")
}
