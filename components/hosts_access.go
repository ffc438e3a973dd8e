package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	ssh "strata/internal/ssh/remote"
)

// access holds a gate's logins at several hosts.
type access struct {
	hosts []pinnedHost
	// sshKey has the distinct private keys of all hosts, one after the other, and their sudo
	// passwords.
	sshKey pulumi.StringOutput
}

// accessTo collects the access to hosts.
func accessTo(hosts []*Host) access {
	a := access{}
	keys := make(pulumi.StringArray, 0, len(hosts))
	for _, host := range hosts {
		a.hosts = append(a.hosts, host.withKey())
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

// inputOf returns the input of a command about hosts and their owner. ask computes it once the
// hosts' pins are known.
func inputOf[In any](
	at access, owner ownerOutput, ask func(hosts []health.Host, owner k3shost.Owner) In,
) pulumix.Output[In] {
	return join.Two(join.Cast[[]health.Host](pinHosts(at.hosts)), owner, ask)
}
