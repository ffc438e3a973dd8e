package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
)

// pinnedHost is a host with its pinned key, which may be known only while the program runs.
type pinnedHost struct {
	// Host has an empty HostKey.
	Host health.Host
	// Key becomes Host.HostKey.
	Key pulumi.StringOutput
}

// pinHosts fills in the hosts' keys. It returns an output of []health.Host in the same order, whose
// value ApplyT passes as any.
func pinHosts(hosts []pinnedHost) pulumi.Output {
	keys := make([]any, len(hosts))
	for i, host := range hosts {
		keys[i] = host.Key
	}
	return pulumi.All(keys...).ApplyT(func(keys []any) []health.Host {
		known := make([]health.Host, len(hosts))
		for i, host := range hosts {
			known[i] = host.Host
			known[i].HostKey = keys[i].(string)
		}
		return known
	})
}
