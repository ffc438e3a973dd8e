package machineset

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func machine(name, role, recreate string) Machine {
	return Machine{
		Name: name, Role: role, Address: "10.0.0." + name[len(name)-1:], Recreate: recreate,
	}
}

// three returns three servers and an agent.
func three() Set {
	return Set{Machines: []Machine{
		machine("server-1", "server", ""), machine("server-2", "server", ""),
		machine("server-3", "server", ""), machine("agent-4", "agent", ""),
	}}
}

func (s Set) with(index int, change func(*Machine)) Set {
	s.Machines = append([]Machine(nil), s.Machines...)
	change(&s.Machines[index])
	return s
}

func word(text string) func(*Machine) { return func(m *Machine) { m.Recreate = text } }

func TestUnchangedMachinesAreNotRecreated(t *testing.T) {
	for name, sets := range map[string][2]Set{
		"the first run":                  {Set{}, three()},
		"the same":                       {three(), three()},
		"a recreate value that was used": {three().with(1, word("disk")), three().with(1, word("disk"))},
		"a removed recreate value":       {three().with(1, word("disk")), three()},
		"a new node":                     {Set{Machines: three().Machines[:3]}, three()},
		"a removed node":                 {three(), Set{Machines: three().Machines[:3]}},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := Judge(sets[0], sets[1])
			require.NoError(t, err)
			assert.Empty(t, plan.Anew)
			require.NoError(t, plan.ask(t.Context(),
				func(context.Context, string) error { return errors.New("not asked") }))
		})
	}
}

func TestUnsupportedMachineChangesAreReportedTogether(t *testing.T) {
	made := map[string]string{"hosts.proxmox.storage": "local-lvm", "hosts.vm.gateway": "",
		"hosts.vm.old": "x", "hosts.ssh.user": "strata"}
	err := Changes("server-1", made, map[string]string{
		"hosts.proxmox.storage": "ceph", "hosts.vm.gateway": "10.0.0.254", "hosts.vm.new": "y",
		"hosts.ssh.user": "strata",
	})
	for _, part := range []string{
		"strata:hosts.proxmox.storage: server-1 was made with local-lvm, and ceph is asked for",
		"strata:hosts.vm.gateway: server-1 was made with nothing, and 10.0.0.254 is asked for",
		"recreate: A-NEW-WORD",
	} {
		assert.ErrorContains(t, err, part)
	}
	for _, part := range []string{"hosts.vm.old", "hosts.vm.new", "hosts.ssh.user"} {
		assert.NotContains(t, err.Error(), part)
	}
	assert.NoError(t, Changes("server-1", nil, made), "an older state says nothing of it")
}

func TestRecreateIsRefusedWhenEtcdWouldLoseQuorum(t *testing.T) {
	_, err := Judge(three(), three().with(0, word("a")).with(1, word("b")))
	require.ErrorContains(t, err, "machines server-1, server-2: one server may be made anew in a "+
		"run, and 2 have a new recreate")

	_, err = Judge(three(), Set{Machines: []Machine{machine("server-1", "server", "a"),
		machine("agent-4", "agent", "")}})
	require.ErrorContains(t, err, "machine server-1: making it anew leaves 0 of 3 servers, and "+
		"etcd needs 2", "the others leave in the same run")

	alone := Set{Machines: []Machine{machine("server-1", "server", "")}}
	_, err = Judge(alone, alone.with(0, word("a")))
	require.ErrorContains(t, err, "leaves 0 of 1 servers")
	_, err = Judge(Set{}, alone.with(0, word("a")))
	require.ErrorContains(t, err, "leaves 0 of 0 servers",
		"a word before the first run is a mistake, or an old stack's first run with this version")
}

func TestServerIsRecreatedOnlyWhileMajorityAnswers(t *testing.T) {
	plan, err := Judge(three(), three().with(1, word("disk")).with(3, word("too")))
	require.NoError(t, err)
	assert.Equal(t, "server-2, agent-4", names(plan.Anew))
	require.NoError(t, plan.ask(t.Context(), func(context.Context, string) error { return nil }))
	err = plan.ask(t.Context(), func(_ context.Context, address string) error {
		if address == "10.0.0.3" {
			return errors.New("connection refused")
		}
		return nil
	})
	assert.ErrorContains(t, err, "2 must run K3s before another one is made anew, and 1 do: "+
		"server-3: connection refused")
}

func TestSameRecreateValueDoesNotRecreateMachineTwice(t *testing.T) {
	left := Remember(three().with(1, word("disk")), three())
	assert.Equal(t, "disk", left.Machines[1].Recreate)
	assert.Empty(t, left.Machines[0].Recreate)
	plan, err := Judge(left, three().with(1, word("disk")))
	require.NoError(t, err)
	assert.Empty(t, plan.Anew, "it comes back, and has been used")
}
