package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
	"strata/internal/k3shost"
	ssh "strata/internal/ssh/remote"
)

// access holds a gate's logins at several hosts.
type access struct {
	hosts []PinnedHost
	// sshKey has the distinct private keys of all, one after the other, and their sudo passwords.
	sshKey pulumi.StringOutput
}

// accessTo collects the access to hosts.
func accessTo(hosts []*Host) access {
	a := access{}
	keys := make(pulumi.StringArray, 0, len(hosts))
	for _, host := range hosts {
		a.hosts = append(a.hosts, host.pinned())
		keys = append(keys, host.SSHKey)
	}
	a.sshKey = keys.ToStringArrayOutput().ApplyT(func(texts []string) string {
		rings := make([]ssh.Keyring, len(texts))
		for i, text := range texts {
			rings[i] = ssh.Keyring{Host: hosts[i].Node.Name, Text: text}
		}
		return ssh.JoinKeyrings(rings)
	}).(pulumi.StringOutput)
	return a
}

// inputOf returns the input of a subcommand about the hosts and their owner: ask makes it of them
// once their pins are known.
func (a access) inputOf(owner pulumi.Output, ask func(hosts []health.Host, owner k3shost.Owner) any) pulumi.Output {
	return pulumi.All(owner, pinHosts(a.hosts)).ApplyT(func(known []any) any {
		return ask(known[1].([]health.Host), known[0].(k3shost.Owner))
	})
}
