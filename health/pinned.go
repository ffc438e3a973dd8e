package health

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// PinnedHost is a host with its pinned key, which may be known only while the program runs.
type PinnedHost struct {
	// Host is without its HostKey.
	Host Host
	// Key becomes Host.HostKey.
	Key pulumi.StringOutput
}

// Pinned are hosts with their keys filled in: an output of []Host, in their order, whose value
// ApplyT takes as any.
func Pinned(hosts []PinnedHost) pulumi.Output {
	keys := make([]any, len(hosts))
	for i, host := range hosts {
		keys[i] = host.Key
	}
	return pulumi.All(keys...).ApplyT(func(keys []any) []Host {
		known := make([]Host, len(hosts))
		for i, host := range hosts {
			known[i] = host.Host
			known[i].HostKey = keys[i].(string)
		}
		return known
	})
}
