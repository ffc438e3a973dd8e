package components

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions"
	"strata/actions/k3s/members"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/self"
)

// releaseName registers the command that, before a node's install, deletes the etcd member, Node
// and node-password Secret that an earlier host with the same node name left behind. They would
// make K3s refuse the new host (k3s-io/k3s#802). The command runs again when the host's key or
// address changes, because then it is another host. It does nothing if the host is a member of the
// cluster. The command of removeLeaving cannot do this, because it waits for all servers and so for
// this node's own install.
func (k *k3s) releaseName(
	name string, host *Host, needs []pulumi.Resource,
) (pulumi.Resource, error) {
	hosts := append([]*Host{host},
		slices.DeleteFunc(slices.Clone(k.servers),
			func(server *Host) bool { return server == host })...)
	limit := k.args.Timeouts.Nodes
	input := inputOf(hosts, k.args.Hosts.Identity.owner,
		func(hosts []health.Host, owner k3shost.Owner) members.Admission {
			all := membersOf(hosts)
			return members.Admission{Timeout: limit, Founds: k.founds(host), Node: all[0],
				Servers: all[1:], Owner: &owner}
		})
	command := actions.CommandOf(members.Admit, input, pulumi.StringMap{self.SSHKey: keyrings(hosts)})
	return newCommand(k.ctx, name+"-admission", command,
		append(childOf(k, needs...), host.deletedWith(), customTimeouts(limit))...)
}
