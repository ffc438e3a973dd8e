package components

import (
	"context"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/k3s/members"
)

// ReadPast reads the traces of a stack's cluster in its state.
type ReadPast func(ctx context.Context, stack string) (members.Past, error)

// founds is the stack whose cluster a host starts where there is none; empty for all hosts but the
// first server's.
func (k *k3s) founds(host *Host) string {
	if host != k.servers[0] {
		return ""
	}
	return k.stack()
}

// stack is the stack's name as `pulumi --stack` takes it.
func (k *k3s) stack() string {
	switch organization := k.ctx.Organization(); organization {
	case "", "organization": // those of a backend without any
		return k.ctx.Stack()
	default:
		return organization + "/" + k.ctx.Project() + "/" + k.ctx.Stack()
	}
}

// refuseSecondCluster registers the hook that the engine calls before the host of a server changes,
// in previews too: an update that keeps none of the servers would found a second cluster
// (docs/adr/0055). Strata's own machines keep their host keys.
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

// hookOptions makes the engine call the hook before it creates or updates the first resource that
// changes a host: an agent of a cluster that is not to be found is not changed either.
func (k *k3s) hookOptions() []pulumi.ResourceOption {
	if k.allow == nil {
		return nil
	}
	hooks := []*pulumi.ResourceHook{k.allow}
	return []pulumi.ResourceOption{pulumi.ResourceHooks(
		&pulumi.ResourceHookBinding{BeforeCreate: hooks, BeforeUpdate: hooks})}
}
