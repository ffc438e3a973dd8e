package components

import (
	"context"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/k3s/members"
)

// ReadPast returns the state's information about a stack's earlier cluster.
type ReadPast func(ctx context.Context, stack string) (members.Past, error)

// founds returns the stack's name for the first server, which creates the cluster if none exists.
// It returns an empty string for all other hosts.
func (k *k3s) founds(host *Host) string {
	if host != k.servers[0] {
		return ""
	}
	return StackName(k.ctx)
}

// refuseSecondCluster registers a hook that fails if none of the previous servers is kept, because
// then the update would create a second cluster (docs/adr/0055). The hook runs before any host
// changes, in previews too: the claims of all hosts have it, because the claim is the first change
// of a host. Agents must not change either if the cluster must not be created. Virtual machines
// need no hook, because their host keys are in the state.
func (k *k3s) refuseSecondCluster() error {
	if k.args.Past == nil || k.servers[0].Machine != nil {
		return nil
	}
	allow := sync.OnceValue(func() error {
		past, err := k.args.Past(k.ctx.Context(), StackName(k.ctx))
		if err != nil {
			return err
		}
		var servers []members.Login
		for _, server := range k.servers {
			servers = append(servers, members.Login{Target: server.at.Target, Key: server.key})
		}
		return past.Allow(k.ctx.Context(), k.ctx.Stack(), servers)
	})
	hook, err := k.ctx.RegisterResourceHook(k.name+"-founds",
		func(*pulumi.ResourceHookArgs) error { return allow() },
		&pulumi.ResourceHookOptions{OnDryRun: true})
	k.allow = hook
	return err
}
