package components

import (
	"slices"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/k3s/token"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/subcommand"
)

// rotateToken registers the command that has the servers' K3s encrypt the cluster's keys with the
// wanted token (package token), before any install writes that one into config.yaml. The generation
// is recorded before: an up that failed in between cannot be taken back, or the wanted token would
// leave the state.
func (k *k3s) rotateToken() error {
	limit, generation := k.args.Timeouts.Install, k.tokens.generation()
	record := subcommand.New("rotate-token", token.Rotation{Timeout: limit, Generation: generation}, nil)
	record.AddPreviousOutputInEnv = pulumi.Bool(true)
	recorded, err := local.NewCommand(k.ctx, k.name+"-token-generation", record, append(childOf(k), bounded(limit))...)
	k.rotated = recorded
	if err != nil || generation == 0 {
		return err
	}
	at, needs := accessTo(k.servers), []pulumi.Resource{recorded}
	for _, server := range k.servers {
		needs = append(needs, server.Gate)
	}
	asked := at.inputOf(k.args.Hosts.Identity.Owner, func(hosts []health.Host, owner k3shost.Owner) any {
		rotation := token.Rotation{Timeout: limit, Generation: generation, Owner: &owner}
		for _, host := range hosts {
			rotation.Servers = append(rotation.Servers, host.Target)
		}
		return rotation
	})
	withTokens := pulumi.All(asked, k.tokens.servers).ApplyT(func(known []any) any {
		rotation := known[0].(token.Rotation)
		rotation.Tokens = known[1].([]string)
		return rotation
	})
	rotate := subcommand.New("rotate-token", withTokens, pulumi.StringMap{self.SSHKey: at.sshKey})
	k.rotated, err = local.NewCommand(k.ctx, k.name+"-token-rotation", rotate,
		slices.Concat(childOf(k, needs...), []pulumi.ResourceOption{bounded(limit), rerun.Replaced()})...)
	return err
}
