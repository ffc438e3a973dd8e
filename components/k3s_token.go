package components

import (
	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions"
	"strata/actions/k3s/token"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
)

// rotateToken registers the command that rotates the server token: K3s encrypts the cluster's keys
// with the current token (package token). It runs before any install writes this token to
// config.yaml. Another command records the generation first, and refuses a lower generation:
// reverting a failed rotation would delete the token with which the keys may already be encrypted.
func (k *k3s) rotateToken() error {
	limit, generation := k.args.Timeouts.Install, k.tokens.generation()
	record := actions.Command(token.Rotate,
		token.Rotation{Timeout: limit, Generation: generation}, nil)
	record.AddPreviousOutputInEnv = pulumi.Bool(true)
	recorded, err := local.NewCommand(k.ctx, k.name+"-token-generation", record,
		append(childOf(k), customTimeouts(limit))...)
	k.rotated = recorded
	if err != nil || generation == 0 {
		return err
	}
	needs := []pulumi.Resource{recorded}
	for _, server := range k.servers {
		needs = append(needs, server.Gate)
	}
	asked := inputOf(k.servers, k.args.Hosts.Identity.owner,
		func(hosts []health.Host, owner k3shost.Owner) token.Rotation {
			rotation := token.Rotation{Timeout: limit, Generation: generation, Owner: &owner}
			for _, host := range hosts {
				rotation.Servers = append(rotation.Servers, host.Target)
			}
			return rotation
		})
	withTokens := join.Two(asked, k.tokens.servers,
		func(rotation token.Rotation, tokens []string) token.Rotation {
			rotation.Tokens = tokens
			return rotation
		})
	rotate := actions.CommandOf(token.Rotate, withTokens, pulumi.StringMap{
		self.SSHKey: keyrings(k.servers),
	})
	k.rotated, err = local.NewCommand(k.ctx, k.name+"-token-rotation", rotate,
		append(childOf(k, needs...), customTimeouts(limit), rerun.ReplaceOnChange())...)
	return err
}
