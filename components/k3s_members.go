package components

import (
	"encoding/json"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
	"strata/internal/members"
)

// removeLeaving registers the resource that takes leaving nodes out of the cluster: drained, stopped, and their etcd member, Node and
// node-password Secret removed. What left is the difference between its own previous output, which it finds in
// PULUMI_COMMAND_STDOUT, and the wanted set; so this one command does ask for its previous output.
func (k *k3s) removeLeaving() (*health.Gate, error) {
	at := accessTo(k.args.Hosts.All)
	keys := make([]any, len(at.hostKeys))
	for i, key := range at.hostKeys {
		keys[i] = key
	}
	stdin := pulumi.All(keys...).ApplyT(func(pins []any) (*string, error) {
		set := members.Set{Timeout: k.args.Timeouts.Nodes}
		for i, host := range at.targets {
			host.HostKey = pins[i].(string)
			set.Members = append(set.Members, members.Member{Target: host.Target, Role: host.Role})
		}
		text, err := json.Marshal(set)
		out := string(text)
		return &out, err
	}).(pulumi.StringPtrOutput)
	command := runs("members", stdin, pulumi.StringMap{"STRATA_SSH_KEY": at.sshKey, "STRATA_KUBECONFIG": k.Kubeconfig})
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	return local.NewCommand(k.ctx, k.name+"-members", command, append(childOf(k, k.API), bounded(k.args.Timeouts.Nodes))...)
}
