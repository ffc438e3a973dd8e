package components

import (
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
	"strata/actions/k3s/upgrade"
	"strata/config"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
)

// upgrade registers the resource that upgrades K3s on the nodes, one after the other: each is
// drained, changed and gated (package upgrade). It is one resource and not one for each node. So
// layers above know that no drain is to come without waiting until every agent has joined. The
// upgrade waits for every push: it does not begin before the last node has its files. With
// registries or a proxy it waits for every node.
func (k *k3s) upgrade() (*local.Command, error) {
	binary, err := k.args.Artifacts.Get(config.ArtifactK3s)
	if err != nil {
		return nil, err
	}
	at := accessTo(append(k.servers[:len(k.servers):len(k.servers)], k.agents...))
	plan := upgrade.Plan{
		Version: binary.Version, SHA256: binary.SHA256, Concurrency: k.args.Upgrade.Concurrency,
		Drain: k.args.Timeouts.Drain, Return: k.args.Timeouts.Upgrade, Servers: k.endpoints(),
	}
	plan.Timeout = rolloutLimit(plan, len(k.servers), len(k.agents))
	input := inputOf(at, k.args.Hosts.Identity.owner,
		func(hosts []health.Host, owner k3shost.Owner) upgrade.Plan {
			plan.Nodes, plan.Owner = hosts, &owner
			return plan
		})
	// Once a month the command runs again, and reads on the hosts whether a certificate of K3s
	// expires soon.
	command := actions.CommandOf(upgrade.Upgrade, input, pulumi.StringMap{
		self.SSHKey: at.sshKey, self.Kubeconfig: k.Kubeconfig,
		self.Calendar: pulumi.String(k.calendar()),
	})
	needs := append(k.pushed[:len(k.pushed):len(k.pushed)], k.API, k.members)
	if len(k.args.Config.Registries) > 0 || k.args.Config.Proxy.IsSet() {
		// Gates above need images. An agent that still has another login or proxy would fail to
		// pull them.
		needs = append(needs, k.joined...)
	}
	return local.NewCommand(k.ctx, k.name+"-upgrade", command,
		append(childOf(k, needs...), customTimeouts(plan.Timeout), rerun.ReplaceOnChange())...)
}

// rolloutLimit returns the longest time that the nodes may take one after the other, plus a minute
// to observe them all.
func rolloutLimit(plan upgrade.Plan, servers, agents int) metav1.Duration {
	turns := servers + (agents+plan.Concurrency-1)/plan.Concurrency
	return metav1.Duration{Duration: time.Duration(turns)*(plan.Drain.Duration+
		plan.Return.Duration) + time.Minute}
}
