package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	ssh "strata/internal/ssh/remote"
)

// keyrings returns the distinct private keys of hosts, concatenated, and their sudo passwords.
// Secret.
func keyrings(hosts []*Host) pulumi.StringOutput {
	keys := make(pulumi.StringArray, 0, len(hosts))
	for _, host := range hosts {
		keys = append(keys, host.SSHKey)
	}
	return keys.ToStringArrayOutput().ApplyT(func(texts []string) string {
		rings := make([]ssh.Keyring, len(texts))
		for i, text := range texts {
			rings[i] = ssh.Keyring{Host: hosts[i].Node.Name, Text: text}
		}
		return ssh.JoinKeyrings(rings)
	}).(pulumi.StringOutput)
}

// targets returns hosts, in the same order, without their pinned host keys.
func targets(hosts []*Host) []health.Host {
	known := make([]health.Host, 0, len(hosts))
	for _, host := range hosts {
		known = append(known, host.at)
	}
	return known
}

// pinnedTargets returns hosts, in the same order, with their pinned host keys.
func pinnedTargets(hosts []*Host) pulumix.Output[[]health.Host] {
	keys := make(pulumi.StringArray, 0, len(hosts))
	for _, host := range hosts {
		keys = append(keys, host.HostKey)
	}
	return pulumix.Apply(keys.ToStringArrayOutput(), func(keys []string) []health.Host {
		known := targets(hosts)
		for i := range known {
			known[i].HostKey = keys[i]
		}
		return known
	})
}

// pinnedTarget returns the host with its pinned host key.
func (h *Host) pinnedTarget() pulumix.Output[health.Host] {
	return pulumix.Apply(h.HostKey.ToStringOutput(), func(key string) health.Host {
		known := h.at
		known.HostKey = key
		return known
	})
}

// inputOf returns the input that ask computes once the pinned host keys and the owner are known.
func inputOf[In any](
	hosts []*Host, owner ownerOutput, ask func(hosts []health.Host, owner k3shost.Owner) In,
) pulumix.Output[In] {
	return join.Two(pinnedTargets(hosts), owner, ask)
}
