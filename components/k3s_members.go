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

// removeLeaving registers the command that removes nodes which are no longer configured: it drains
// and stops them, and deletes their etcd member, Node and node-password Secret. It also applies
// changed labels and taints. It compares the configured nodes with its own previous output, which
// it gets in PULUMI_COMMAND_STDOUT.
func (k *k3s) removeLeaving() (*local.Command, error) {
	hosts := k.args.Hosts.All
	input := inputOf(hosts, k.args.Hosts.Identity.owner,
		func(hosts []health.Host, owner k3shost.Owner) members.Set {
			return members.Set{
				Timeout: k.args.Timeouts.Nodes, Members: k.withSettings(membersOf(hosts)),
				DiscardVolumesOf: k.args.Config.DiscardVolumesOf, Owner: &owner,
			}
		})
	command := actions.CommandOf(members.Update, input, pulumi.StringMap{
		self.SSHKey: keyrings(hosts), self.Kubeconfig: k.Kubeconfig,
	})
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	return local.NewCommand(k.ctx, k.name+"-members", command,
		append(childOf(k, k.API), customTimeouts(k.args.Timeouts.Nodes))...)
}

// membersOf converts hosts to members of the cluster.
func membersOf(hosts []health.Host) []members.Member {
	list := make([]members.Member, 0, len(hosts))
	for _, host := range hosts {
		list = append(list, members.Member{Target: host.Target, Role: host.Role})
	}
	return list
}

// withSettings sets the labels and taints of the members in list, and returns list.
func (k *k3s) withSettings(list []members.Member) []members.Member {
	settings := k.settings()
	for i := range list {
		list[i].NodeSettings = settings[list[i].Name]
	}
	return list
}

// settings returns the configured labels and taints by the Node's name, without Nodes that have
// none.
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
