package components

import (
	"slices"
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

// upgrade registers the command that upgrades K3s: it drains, upgrades and checks the nodes, agents
// in groups of strata:upgrade.concurrency (package upgrade). One command for all nodes lets layers
// wait until no more drains follow, without waiting until every agent has joined. The upgrade
// starts after all pushes, so that each node has its files. If registries or a proxy are
// configured, the upgrade also waits for all installs.
func (k *k3s) upgrade() (*local.Command, error) {
	binary, err := k.args.Artifacts.Get(config.ArtifactK3s)
	if err != nil {
		return nil, err
	}
	hosts := slices.Concat(k.servers, k.agents)
	plan := upgrade.Plan{
		Version: binary.Version, SHA256: binary.SHA256, Concurrency: k.args.Upgrade.Concurrency,
		Drain: k.args.Timeouts.Drain, Return: k.args.Timeouts.Upgrade, Servers: k.endpoints(),
	}
	plan.Timeout = rolloutLimit(plan, len(k.servers), len(k.agents))
	input := inputOf(hosts, k.args.Hosts.Identity.owner,
		func(hosts []health.Host, owner k3shost.Owner) upgrade.Plan {
			plan.Nodes, plan.Owner = hosts, &owner
			return plan
		})
	// The calendar makes the command run again once a month, so that it checks the expiry of K3s's
	// certificates on the hosts.
	command := actions.CommandOf(upgrade.Upgrade, input, pulumi.StringMap{
		self.SSHKey: keyrings(hosts), self.Kubeconfig: k.Kubeconfig,
		self.Calendar: pulumi.String(k.calendar()),
	})
	needs := append(k.pushed[:len(k.pushed):len(k.pushed)], k.API, k.members)
	if len(k.args.Config.Registries) > 0 || k.args.Config.Proxy.IsSet() {
		// Until an agent's install has run, the agent has the previous registry login or proxy, and
		// could fail to pull the layers' images.
		needs = append(needs, k.joined...)
	}
	return newCommand(k.ctx, k.name+"-upgrade", command,
		append(childOf(k, needs...), customTimeouts(plan.Timeout), rerun.ReplaceOnChange())...)
}

// rolloutLimit returns the timeout of the whole upgrade: drain and upgrade of each server and of
// each group of agents, plus a minute for the checks.
func rolloutLimit(plan upgrade.Plan, servers, agents int) metav1.Duration {
	turns := servers + (agents+plan.Concurrency-1)/plan.Concurrency
	return metav1.Duration{Duration: time.Duration(turns)*(plan.Drain.Duration+
		plan.Return.Duration) + time.Minute}
}
