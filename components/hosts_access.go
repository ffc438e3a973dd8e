package components

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
	k3snode "strata/internal/k3s/node"
)

// access is how a gate reaches several hosts: their targets, pins and keys, all in the same order.
type access struct {
	targets  []health.Host
	hostKeys []pulumi.StringOutput
	sshKey   pulumi.StringOutput
}

// accessTo collects the access to hosts.
func accessTo(hosts []*Host) access {
	a := access{}
	keys := make([]any, 0, len(hosts))
	for _, host := range hosts {
		a.targets = append(a.targets, host.target())
		a.hostKeys = append(a.hostKeys, host.HostKey)
		keys = append(keys, host.SSHKey)
	}
	a.sshKey = pulumi.All(keys...).ApplyT(joinKeys).(pulumi.StringOutput)
	return a
}

// asked is a question about the hosts as a command's standard input: what ask makes of them once their pins are known, as JSON.
func (a access) asked(ask func(hosts []health.Host) any) pulumi.StringPtrOutput {
	nobody := pulumi.ToOutput(k3snode.Owner{})
	return a.askedAs(nobody, func(hosts []health.Host, _ k3snode.Owner) any { return ask(hosts) })
}

// askedAs is asked where whose the hosts are is part of the question.
func (a access) askedAs(owner pulumi.Output, ask func(hosts []health.Host, owner k3snode.Owner) any) pulumi.StringPtrOutput {
	known := []any{owner}
	for _, key := range a.hostKeys {
		known = append(known, key)
	}
	return pulumi.All(known...).ApplyT(func(known []any) (*string, error) {
		hosts := slices.Clone(a.targets)
		for i := range hosts {
			hosts[i].HostKey = known[i+1].(string)
		}
		return jsonText(ask(hosts, known[0].(k3snode.Owner)))
	}).(pulumi.StringPtrOutput)
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
