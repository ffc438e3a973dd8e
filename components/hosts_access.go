package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	ssh "strata/internal/ssh/remote"
)

// access has several hosts and the keys that log in to them.
type access struct {
	hosts []pinnedHost
	// sshKey has the distinct private keys of all hosts, concatenated, and their sudo passwords.
	// Secret.
	sshKey pulumi.StringOutput
}

// accessTo returns the access to hosts.
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

// inputOf returns the input that ask computes once the pinned host keys and the owner are known.
func inputOf[In any](
	at access, owner ownerOutput, ask func(hosts []health.Host, owner k3shost.Owner) In,
) pulumix.Output[In] {
	return join.Two(join.Cast[[]health.Host](pinHosts(at.hosts)), owner, ask)
}
