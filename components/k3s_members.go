package components

import (
	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions"
	"strata/actions/k3s/members"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
	"strata/internal/pulumi/self"
)

// removeLeaving registers the command that takes leaving nodes out of the cluster. It drains and
// stops them, and removes their etcd member, Node and node-password Secret. It finds them by
// comparing the wanted set with its own previous output, in PULUMI_COMMAND_STDOUT. So this command
// asks for its previous output.
func (k *k3s) removeLeaving() (*local.Command, error) {
	at := accessTo(k.args.Hosts.All)
	input := inputOf(at, k.args.Hosts.Identity.owner,
		func(hosts []health.Host, owner k3shost.Owner) members.Set {
			return members.Set{
				Timeout: k.args.Timeouts.Nodes, Members: k.withSettings(membersOf(hosts)),
				DiscardVolumesOf: k.args.Config.DiscardVolumesOf, Owner: &owner,
			}
		})
	command := actions.CommandOf(members.Update, input, pulumi.StringMap{
		self.SSHKey: at.sshKey, self.Kubeconfig: k.Kubeconfig,
	})
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	return local.NewCommand(k.ctx, k.name+"-members", command,
		append(childOf(k, k.API), customTimeouts(k.args.Timeouts.Nodes))...)
}

// membersOf returns the members of the cluster for hosts.
func membersOf(hosts []health.Host) []members.Member {
	list := make([]members.Member, 0, len(hosts))
	for _, host := range hosts {
		list = append(list, members.Member{Target: host.Target, Role: host.Role})
	}
	return list
}

// withSettings returns members with the labels and taints of their Nodes.
func (k *k3s) withSettings(list []members.Member) []members.Member {
	settings := k.settings()
	for i := range list {
		list[i].NodeSettings = settings[list[i].Name]
	}
	return list
}

// settings returns the labels and taints of each Node that has any, by the Node's name.
func (k *k3s) settings() map[string]apiserver.NodeSettings {
	all := map[string]apiserver.NodeSettings{}
	for _, host := range k.args.Hosts.All {
		if set := settingsOf(host); !set.IsEmpty() {
			all[host.Node.Name] = set
		}
	}
	return all
}

func settingsOf(host *Host) apiserver.NodeSettings {
	return apiserver.NodeSettings{Labels: host.Node.Labels, Taints: host.Node.Taints}
}
