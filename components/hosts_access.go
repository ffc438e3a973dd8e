package components

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
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
	keys := make([]any, len(a.hostKeys))
	for i, key := range a.hostKeys {
		keys[i] = key
	}
	return pulumi.All(keys...).ApplyT(func(pins []any) (*string, error) {
		hosts := slices.Clone(a.targets)
		for i := range hosts {
			hosts[i].HostKey = pins[i].(string)
		}
		return jsonText(ask(hosts))
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
