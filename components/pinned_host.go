package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
)

// pinnedHost is a host with its pinned host key, which is an output.
type pinnedHost struct {
	// Host has an empty HostKey.
	Host health.Host
	// Key is the host key; pinHosts writes it to Host.HostKey.
	Key pulumi.StringOutput
}

// pinHosts returns an output of []health.Host, in the same order, with HostKey set. Its static type
// is untyped, so an apply gets the value as any.
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
