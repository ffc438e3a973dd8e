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

// VMPlan holds the requirements of a stack's machines before the first change.
type VMPlan struct {
	// Specs are the machines; at least one.
	Specs hypervisor.Specs
	// Key is the PEM private key that logs in to the hypervisor; empty for this machine.
	Key []byte
	// Image is the disk image of the machines; nil with a template.
	Image *VMImage
}

// VMImage is the disk image on this side.
type VMImage struct {
	// Key is the configuration's key, Value its value.
	Key, Value string
	// Fault is the reason why there is no image; nil if it is here or can be downloaded.
	Fault error
	// GiB is the size of its disk; 0 if the image is not here.
	GiB float64
}

// vmFindings holds the observations of a hypervisor.
type vmFindings struct {
	// Fault is the reason why the hypervisor was not reached. The other fields are empty then.
	Fault error
	hypervisor.Survey
	// Pings has the hypervisor's answers about the machines' addresses: far and answers, as
	// probe/pool.sh prints them.
	Pings host.Block
	// PingsFault is the reason why there are no pings.
	PingsFault error
}

// VMs observes the hypervisor, each part for limit at most, and reports the obstacles to making the
// machines. The memory and disks of the stack's existing machines count as available to them.
func VMs(ctx context.Context, plan VMPlan, limit time.Duration) []Finding {
	host, err := reachHypervisor(ctx, plan, limit)
	if err != nil {
		return findingsOf(plan, judgeHypervisor(plan, vmFindings{Fault: err}))
	}
	defer func() { _ = host.Close() }() // Nothing more is sent on it.
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

// reachHypervisor connects to the hypervisor. Without a pin it makes the first contact. It does not
// store the key; the update makes its own first contact.
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

// farScript prints the addresses outside this host's own networks, which it cannot probe, and its
// own addresses.
const farScript = `for address in $addresses; do
	case $(ip -o route get "$address" 2>/dev/null) in
	local*) echo "answers=$address the hypervisor itself" ;;
	'' | *' via '*) echo "far=$address" ;;
	esac
done
`

// askAddresses probes the owners of the machines' addresses on the hypervisor's own networks.
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

// findingsOf returns verdicts as findings on the hypervisor.
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
