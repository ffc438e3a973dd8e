package vm

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/internal/hypervisor"
)

func TestVirtualMachineVerdictFollowsPowerAndLease(t *testing.T) {
	spec := hypervisor.Spec{Driver: "libvirt", Stack: "dev", Node: "server-1",
		Guest: hypervisor.Guest{Address: netip.MustParsePrefix("10.10.0.11/24"), DHCP: true}}
	still := spec
	still.Guest.DHCP = false
	up := hypervisor.Facts{Exists: true, Running: true, Power: "running (booted)"}
	with := func(addresses ...string) hypervisor.Facts { f := up; f.Addresses = addresses; return f }
	for _, test := range []struct {
		name  string
		spec  hypervisor.Spec
		facts vmFacts
		want  health.State
		says  string
	}{
		{"runs, sets its own address", still, vmFacts{Seen: true, Facts: up}, health.Ready, ""},
		{"runs, has its lease", spec, vmFacts{Seen: true, Facts: with("fe80::1", "10.10.0.11")}, health.Ready, ""},
		{"answers, without a guest agent", spec,
			vmFacts{Seen: true, Facts: up, Answers: true}, health.Ready, ""},
		{"no lease", spec, vmFacts{Seen: true, Facts: with("fe80::1")}, health.Waiting, "found no lease and no answer"},
		{"another lease", spec, vmFacts{Seen: true, Facts: with("10.10.0.99")}, health.Stuck, "found 10.10.0.99"},
		{"the machine is missing", still, vmFacts{Seen: true}, health.Stuck, "found none"},
		{"the machine is off", still, vmFacts{Seen: true,
			Facts: hypervisor.Facts{Exists: true, Power: "shut off (shutdown)"}}, health.Waiting, "found shut off"},
		{"a full storage", still, vmFacts{Seen: true,
			Facts: hypervisor.Facts{Exists: true, Power: "paused (I/O error)"}}, health.Stuck,
			"found paused (I/O error)"},
		{"a full storage of Proxmox", still,
			vmFacts{Seen: true, Facts: hypervisor.Facts{Exists: true, Power: "io-error"}},
			health.Stuck, "found io-error"},
		{"a panic", still, vmFacts{Seen: true,
			Facts: hypervisor.Facts{Exists: true, Power: "crashed (panicked)"}}, health.Stuck, "found crashed"},
		{"a hypervisor that does not answer", still, vmFacts{Fault: errors.New("no route to host")},
			health.Waiting, "no route to host"},
		{"not asked yet", still, vmFacts{}, health.Waiting, "not asked yet"},
		{"a machine of another owner", still, vmFacts{Fault: &hypervisor.ForeignError{Where: "h",
			What: "there is a domain x", Fix: "rename it"}}, health.Stuck, "did not make"},
	} {
		t.Run(test.name, func(t *testing.T) {
			verdicts := judgeVM(test.spec, test.facts)
			assert.Equal(t, test.want, health.StateOf(verdicts))
			failing, _ := health.Split(verdicts)
			if test.want == health.Ready {
				assert.Empty(t, failing)
				return
			}
			assert.Len(t, failing, 1, "one cause, not its consequences")
			if !test.facts.Seen {
				assert.Equal(t, []health.State{test.want, health.Waiting, health.Waiting},
					[]health.State{verdicts[0].State, verdicts[1].State, verdicts[2].State})
			}
			assert.Contains(t, failing[0].Message, test.says)
			if test.facts.Seen {
				assert.NotEmpty(t, failing[0].Hint)
			}
		})
	}
}

func TestMachineWithoutLeaseReportsReservationAndConsole(t *testing.T) {
	spec := hypervisor.Spec{Driver: "proxmox", Stack: "dev", Node: "a",
		Guest: hypervisor.Guest{Address: netip.MustParsePrefix("10.10.0.11/24"), DHCP: true}}
	v := judgeAddressOf(spec, vmFacts{Seen: true,
		Facts: hypervisor.Facts{Exists: true, Running: true,
			Agent: "QEMU guest agent is not running", Console: "ci-info: no lease\n"}})
	assert.Contains(t, v.Hint, "reserve 10.10.0.11 for "+spec.MAC())
	assert.Equal(t, []string{"the guest's agent: QEMU guest agent is not running",
		"console:\nci-info: no lease"}, v.Evidence)
}

func TestVirtualMachineGateNeedsNoAPIServer(t *testing.T) {
	assert.Equal(t, health.Traits{Kind: Kind, NoServers: true}, Spec{}.Traits())
}
