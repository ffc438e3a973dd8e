package components

import (
	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions/hosts/hostrun"
	"strata/actions/k3s/members"
	"strata/internal/k3shost"
)

// readCAHash registers the command that reads the hash of the cluster's CA over SSH from the first
// server. All other nodes join with a token that contains the hash, so they send the token only to
// a server of this cluster (docs/adr/0063).
func (k *k3s) readCAHash(ready pulumi.Resource) error {
	host, limit := k.servers[0], k.args.Timeouts.API
	asked := pulumix.Apply(k.args.Hosts.Identity.owner, func(owner k3shost.Owner) hostrun.Input {
		return hostrun.Input{Script: hostScript("k3s-ca-hash.sh", ownerVariables(owner, host.Node.Name)...),
			Timeout: limit}
	})
	command, err := local.NewCommand(k.ctx, k.name+"-ca-hash", host.runs(asked),
		append(childOf(k, ready), customTimeouts(limit))...)
	if err != nil {
		return err
	}
	k.caHash = pulumi.Unsecret(command.Stdout.ApplyT(members.CAHashIn)).(pulumi.StringOutput)
	return nil
}
