package cli

import (
	"context"
	"sync"

	"strata/health"
	"strata/internal/remote"
)

// scanMissing makes the first contact with every host that has no pinned key, all at once. What did not answer is a finding,
// and is left out.
func scanMissing(ctx context.Context, hosts []health.PreflightHost) ([]health.PreflightHost, []health.Finding) {
	failures := make([]error, len(hosts))
	var all sync.WaitGroup
	for i := range hosts {
		if target := &hosts[i].Host.Target; target.HostKey == "" {
			all.Go(func() { target.HostKey, failures[i] = remote.Scan(ctx, target.Address, target.Port) })
		}
	}
	all.Wait()
	var reached []health.PreflightHost
	var findings []health.Finding
	for i, host := range hosts {
		if failures[i] == nil {
			reached = append(reached, host)
			continue
		}
		findings = append(findings, health.Finding{Subject: host.Host.Name, Verdict: health.Verdict{
			Check: "ssh", State: health.Waiting, Message: failures[i].Error(),
			Hint: "check strata:hosts.nodes[].address and ssh.port, and that the host is on",
		}})
	}
	return reached, findings
}
