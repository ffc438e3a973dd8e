package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
	k3snode "strata/internal/k3s/node"
)

// access is how a gate reaches several hosts.
type access struct {
	hosts []health.PinnedHost
	// sshKey has the distinct private keys of all, one after the other, and their sudo passwords.
	sshKey pulumi.StringOutput
}

// accessTo collects the access to hosts.
func accessTo(hosts []*Host) access {
	a := access{}
	keys := make([]any, 0, len(hosts))
	for _, host := range hosts {
		a.hosts = append(a.hosts, host.pinned())
		keys = append(keys, host.SSHKey)
	}
	a.sshKey = pulumi.All(keys...).ApplyT(joinKeys).(pulumi.StringOutput)
	return a
}

// asked is the input of a subcommand about the hosts: what ask makes of them once their pins are known.
func (a access) asked(ask func(hosts []health.Host) any) pulumi.Output {
	noOwner := pulumi.ToOutput(k3snode.Owner{})
	return a.askedAs(noOwner, func(hosts []health.Host, _ k3snode.Owner) any { return ask(hosts) })
}

// askedAs is asked where whose the hosts are is part of the input.
func (a access) askedAs(owner pulumi.Output, ask func(hosts []health.Host, owner k3snode.Owner) any) pulumi.Output {
	return pulumi.All(owner, health.Pinned(a.hosts)).ApplyT(func(known []any) any {
		return ask(known[1].([]health.Host), known[0].(k3snode.Owner))
	})
}

// joinKeys puts the distinct private keys one after the other, as PEM allows.
func joinKeys(keys []any) string {
	joined, seen := "", map[string]bool{}
	for _, value := range keys {
		if key := value.(string); !seen[key] {
			seen[key] = true
			joined += key
		}
	}
	return joined
}
