package preflight

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"strata/actions/machines/lifecycle"
	"strata/health"
	"strata/health/host"
	"strata/internal/hypervisor"
	"strata/internal/ssh/remote"
)

// VMPlan describes the machines that a stack needs.
type VMPlan struct {
	// Specs are the machines; at least one.
	Specs hypervisor.Specs
	// Key is the PEM private key that logs in to the hypervisor; empty if that is this machine.
	Key []byte
	// Image is the disk image of the machines; nil with a template.
	Image *VMImage
}

// VMImage describes the machines' disk image.
type VMImage struct {
	// Key is the configuration key that selects the image, Value its value.
	Key, Value string
	// Fault is the reason why the image cannot be used; nil if its file is on this machine or can
	// be downloaded.
	Fault error
	// GiB is the size of the image's disk; 0 if the file is not on this machine.
	GiB float64
}

// vmFindings holds the facts that were read from a hypervisor.
type vmFindings struct {
	// Fault is the reason why the hypervisor was not reached. The other fields are empty then.
	Fault error
	hypervisor.Survey
	// Pings holds the output of the address probe. far are the addresses that the hypervisor could
	// not probe, and answers those that answered (probe/pool.sh).
	Pings host.Block
	// PingsFault is the reason why the addresses were not probed.
	PingsFault error
}

// VMs observes the hypervisor, and reports what would prevent the creation of the stack's machines.
// Login and observation may take limit each. The memory and disks of the stack's existing machines
// count as available.
func VMs(ctx context.Context, plan VMPlan, limit time.Duration) []Finding {
	host, err := reachHypervisor(ctx, plan, limit)
	if err != nil {
		return findingsOf(plan, judgeHypervisor(plan, vmFindings{Fault: err}))
	}
	defer func() { _ = host.Close() }() // The connection is not used again.
	var seen vmFindings
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	pinged := make(chan struct{})
	go func() {
		defer close(pinged)
		seen.Pings, seen.PingsFault = askAddresses(ctx, host, plan)
	}()
	survey := lifecycle.Survey(ctx, host, plan.Specs)
	<-pinged
	seen.Survey = survey
	return findingsOf(plan, judgeHypervisor(plan, seen))
}

// reachHypervisor connects to the hypervisor. If no host key is pinned, it accepts the key that the
// hypervisor presents. It does not store this key: the next update makes its own first contact.
func reachHypervisor(
	ctx context.Context, plan VMPlan, limit time.Duration,
) (hypervisor.Host, error) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	target := plan.Specs[0].Hypervisor
	if target.Address != "" && target.HostKey == "" {
		key, err := remote.Scan(ctx, target.Address, target.Port)
		if err != nil {
			return nil, err
		}
		target.HostKey = key
	}
	return hypervisor.Connect(ctx, target, plan.Key)
}

// farScript prints far=ADDRESS for an address outside the hypervisor's own networks, which it
// cannot probe, and answers=ADDRESS for one of its own addresses.
const farScript = `for address in $addresses; do
	case $(ip -o route get "$address" 2>/dev/null) in
	local*) echo "answers=$address the hypervisor itself" ;;
	'' | *' via '*) echo "far=$address" ;;
	esac
done
`

// askAddresses probes by ARP from the hypervisor which machines' addresses are in use. It returns
// the block that farScript and the probe print.
func askAddresses(ctx context.Context, h hypervisor.Host, plan VMPlan) (host.Block, error) {
	addresses := make([]netip.Addr, len(plan.Specs))
	for i, spec := range plan.Specs {
		addresses[i] = spec.Guest.Address.Addr()
	}
	script := host.WithSettings(farScript+host.PoolScript,
		map[string]string{"addresses": joinAddrs(addresses), "nodes": ""})
	output, err := h.Run(ctx, script, strings.NewReader(""), 0)
	if err != nil {
		return nil, err
	}
	var answer host.Block
	lines := host.Blocks{Take: func(b host.Block) { answer = b }}
	for line := range strings.Lines(output) {
		lines.Line(strings.TrimRight(line, "\n"))
	}
	return answer, nil
}

// findingsOf returns the verdicts as findings whose subject is the hypervisor.
func findingsOf(plan VMPlan, verdicts []health.Verdict) []Finding {
	subject := "this machine"
	if name := plan.Specs[0].Hypervisor.Name; name != "" {
		subject = name
	}
	findings := make([]Finding, len(verdicts))
	for i, v := range verdicts {
		findings[i] = Finding{subject, v}
	}
	return findings
}
