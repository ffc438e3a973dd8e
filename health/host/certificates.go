package host

import (
	"fmt"
	"time"

	"strata/health"
	"strata/internal/k3shost"
)

// judgeCertificates reports when the first of K3s's own certificates on a host expires. Only the
// preflight uses it: in a gate, it would block the update that renews expired certificates.
func judgeCertificates(host health.Host, seen Block, now time.Time) health.Verdict {
	v := health.Verdict{Check: "K3s certificates", State: health.Ready, Message: "no K3s yet",
		After: []string{"ssh"}}
	first, some := k3shost.First(seen["certificate"])
	unit := seen.Get("k3s")
	switch left := first.Ends.Sub(now); {
	case !some && (unit != "" || len(seen["certificate"]) > 0):
		v.State = health.Skipped
		v.Message = "K3s is installed, and none that can be read was found below /var/lib/rancher/k3s"
	case !some:
	case left <= 0:
		v.State, v.Message = health.Stuck,
			fmt.Sprintf("expected valid ones, found that K3s's own %s ended at %s", first.File,
				first.Ends.Format(time.RFC3339))
		v.Cause = "K3s renews them only when it starts in their last 90 days, and it has not: " +
			"its parts no longer believe each other"
		v.Hint = certificatesFix(host)
	case left < k3shost.RenewWithin:
		v.Message = fmt.Sprintf("K3s's own %s ends at %s", first.File,
			first.Ends.Format(time.RFC3339))
		v.Hint = certificatesFix(host)
	default:
		v.Message = fmt.Sprintf("%s is the first to end, at %s", first.File,
			first.Ends.Format(time.RFC3339))
	}
	if some {
		v.Ends = &first.Ends
	}
	return v
}

// certificatesFix returns the command that renews K3s's own certificates.
func certificatesFix(host health.Host) string {
	return fmt.Sprintf("a restart of K3s renews it: an up in the next month does it, node by "+
		"node; or on %s: systemctl restart %s", host.Name, UnitName(host))
}
