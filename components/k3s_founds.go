package components

import (
	"context"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/k3s/members"
)

// ReadPast reads the traces of a stack's earlier cluster in its state.
type ReadPast func(ctx context.Context, stack string) (members.Past, error)

// founds returns the stack whose cluster the host creates if none exists. It is empty for all hosts
// except the first server's.
func (k *k3s) founds(host *Host) string {
	if host != k.servers[0] {
		return ""
	}
	return k.stack()
}

// stack returns the stack's name in the form that `pulumi --stack` takes.
func (k *k3s) stack() string {
	switch organization := k.ctx.Organization(); organization {
	case "", "organization": // those of a backend without any
		return k.ctx.Stack()
	default:
		return organization + "/" + k.ctx.Project() + "/" + k.ctx.Stack()
	}
}

// refuseSecondCluster registers the hook that the engine calls before a server's host changes, in
// previews too. The hook refuses an update that keeps none of the servers, because it would create
// a second cluster (docs/adr/0055). It registers no hook for machines that
// Strata makes, because these keep their host keys.
func (k *k3s) refuseSecondCluster() error {
	if k.args.Past == nil || k.servers[0].reached == nil {
		return nil
	}
	allow := sync.OnceValue(func() error {
		past, err := k.args.Past(k.ctx.Context(), k.stack())
		if err != nil {
			return err
		}
		var servers []members.Login
		for _, server := range k.servers {
			servers = append(servers, members.Login{Target: server.reached.Target,
				Key: server.reached.Key})
		}
		return past.Allow(k.ctx.Context(), k.ctx.Stack(), servers)
	})
	hook, err := k.ctx.RegisterResourceHook(k.name+"-founds",
		func(*pulumi.ResourceHookArgs) error { return allow() },
		&pulumi.ResourceHookOptions{OnDryRun: true})
	k.allow = hook
	return err
}

// hookOptions returns the option by which the engine calls the hook before it creates or updates
// the first resource that changes a host. Agents have it, too: if the cluster must not be created,
// no agent of it may be changed either.
func (k *k3s) hookOptions() []pulumi.ResourceOption {
	if k.allow == nil {
		return nil
	}
	hooks := []*pulumi.ResourceHook{k.allow}
	return []pulumi.ResourceOption{pulumi.ResourceHooks(
		&pulumi.ResourceHookBinding{BeforeCreate: hooks, BeforeUpdate: hooks})}
}
