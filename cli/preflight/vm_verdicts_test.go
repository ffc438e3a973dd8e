package preflight

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/kube"
	"strata/internal/hypervisor"
)

// verdictOf returns one check of a hypervisor.
func verdictOf(plan VMPlan, f vmFindings, check string) health.Verdict {
	for _, v := range judgeHypervisor(plan, f) {
		if v.Check == check {
			return v
		}
	}
	return health.Verdict{}
}

// Processors may be overcommitted, memory may not.
func TestOvercommittedProcessorsPassWithHint(t *testing.T) {
	plan, f := libvirtPlan(), libvirtHas()
	assert.Equal(t,
		health.Verdict{Check: "processors", State: health.Ready, Message: "4 of 4",
			After: []string{hypervisorCheck}},
		verdictOf(plan, f, "processors"))
	plan.Specs[0].CPUs = 3
	shared := verdictOf(plan, f, "processors")
	assert.Equal(t, health.Ready, shared.State)
	assert.Contains(t, shared.Message, "they share")
	assert.NotEmpty(t, shared.Hint)
}

func TestNameCheckDistinguishesOwnMachineFromFreeName(t *testing.T) {
	plan, f := libvirtPlan(), libvirtHas()
	f.Machines[0] = hypervisor.MachineFacts{Whole: true, Running: true, DiskGiB: 20}
	assert.Equal(t, "this stack's own", verdictOf(plan, f, "name server-1").Message)
	assert.Equal(t, "free", verdictOf(plan, f, "name agent-1").Message)
	f.Machines[0] = hypervisor.MachineFacts{
		Fault: &hypervisor.ForeignError{What: "a domain", Owner: "node server-1 of stack dev",
			Unsure: true}}
	v := verdictOf(plan, f, "name server-1")
	assert.Equal(t, health.Skipped, v.State, "without the cluster's identity it may be its own")
	assert.Contains(t, v.Message, "node server-1 of stack dev")
}

// A DHCP server may lease an address of its range. The warning must appear for the range's first
// and last address, and for none outside.
func TestAddressInDHCPRangeGetsReservationWarning(t *testing.T) {
	plan, f := libvirtPlan(), libvirtHas()
	address := func(text string) netip.Addr { return netip.MustParseAddr("10.10.0." + text) }
	for said, spans := range map[bool][][2]netip.Addr{
		true: {{address("11"), address("20")}, {address("5"), address("11")},
			{address("11"), address("11")}},
		false: {{address("12"), address("20")}, {address("5"), address("10")}},
	} {
		for _, span := range spans {
			f.Network.DHCP = &hypervisor.DHCPFacts{Ranges: [][2]netip.Addr{span}}
			v := verdictOf(plan, f, "address server-1")
			assert.Equal(t, health.Ready, v.State)
			assert.Equal(t, said, v.Hint != "", "%s", span)
		}
	}
	plan.Specs[0].Guest.DHCP = true
	f.Network.DHCP = &hypervisor.DHCPFacts{Ranges: [][2]netip.Addr{{address("2"), address("99")}}}
	assert.Empty(t, verdictOf(plan, f, "leases"), "what the hypervisor leases is seen")
}

func TestSubjectOfFindingsIsHypervisorOrLocalMachine(t *testing.T) {
	verdicts := []health.Verdict{{Check: "node"}}
	assert.Equal(t, "hypervisor", findingsOf(proxmoxPlan(), verdicts)[0].Subject)
	assert.Equal(t, "this machine", findingsOf(libvirtPlan(), verdicts)[0].Subject)
}

// If the API server refuses the credentials, the check api fails. The facts that stay unknown must
// not count as further failures.
func TestChecksWithUnknownFactsOfExistingClusterAreWaiting(t *testing.T) {
	states := func(f existingFacts) map[string]health.State {
		found := map[string]health.State{}
		for _, v := range judgeExisting(ExistingCluster{MetalLB: true, Traefik: true}, f) {
			found[v.Check] = v.State
		}
		return found
	}
	refused := states(existingFacts{Fault: &kube.Fault{Kind: kube.FaultUnauthorized}})
	against := states(existingFacts{ServiceLB: []string{"shop"}, Traefik: true})
	for _, check := range []string{"permissions", "no other load balancer", "no other Traefik"} {
		assert.Equal(t, health.Waiting, refused[check], check)
		assert.Equal(t, health.Stuck, against[check], check)
	}
}

func TestUnreachableHypervisorMarksOtherChecksAsNotSeen(t *testing.T) {
	for _, v := range judgeHypervisor(libvirtPlan(), vmFindings{Fault: errors.New("no route to host")})[1:] {
		if v.Check != "image" {
			assert.Equal(t, "not seen", v.Message, v.Check)
		}
	}
}
