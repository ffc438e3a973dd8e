package command

import (
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/cert-manager/cert-manager/internal/apis/config/shared"
)

// LeaderFlags adds the flags for leader election.
func LeaderFlags(set *pflag.FlagSet, c *shared.LeaderElectionConfig) {
	set.BoolVar(&c.Enabled, "leader-elect", c.Enabled, "whether one instance at a time works")
	set.StringVar(&c.Namespace, "leader-election-namespace", c.Namespace, "namespace of the lease")
	set.DurationVar(&c.LeaseDuration, "leader-election-lease-duration", c.LeaseDuration, "how long a lease holds")
	set.DurationVar(&c.RenewDeadline, "leader-election-renew-deadline", c.RenewDeadline,
		"when a leader that cannot renew gives up")
	set.DurationVar(&c.RetryPeriod, "leader-election-retry-period", c.RetryPeriod, "time between attempts")
}

// GateFlags adds the flag for feature gates.
func GateFlags(set *pflag.FlagSet, gates *map[string]bool) {
	set.Var(cliflag.NewMapStringBool(gates), "feature-gates", "NAME=true|false, with commas between")
}
