package teardown

import (
	"context"
	"fmt"
	"os"
	"time"

	"strata/actions/stack/recovery"
	"strata/actions/verb"
	"strata/health"
	"strata/health/kinds"
	"strata/internal/ssh/tunnel"
)

// The commands of the guards' resources, with the kubeconfig in STRATA_KUBECONFIG. An update
// compares the objects with those of the previous output, and prints them for the next run.
var (
	// Update refuses a run that loses others' objects in the objects that leave.
	Update = verb.New(func(ctx context.Context, call verb.Call, guard Guard) error {
		return guard.update(ctx, call, false)
	})
	// UpdateFirst is an Update that also refuses new objects, before any layer changes. It refuses
	// a namespace that is still being deleted, and an Argo CD that would continue the deletion of
	// Applications.
	UpdateFirst = verb.New(func(ctx context.Context, call verb.Call, guard Guard) error {
		return guard.update(ctx, call, true)
	})
	// Delete is the first step of a destroy. It fails if the cluster is protected, and reports the
	// losses. It is in states, so its behavior must stay compatible.
	Delete = verb.New(func(ctx context.Context, call verb.Call, guard Guard) error {
		if err := recovery.NoteParent("."); err != nil {
			_, _ = fmt.Fprintln(call.Stderr, "teardown:", err)
		}
		if guard.Existing {
			return guard.BeforeExisting(ctx, guard.connector(ctx, call), verb.ClusterGone())
		}
		return guard.beforeOwn(ctx, call)
	})
)

// ownLimit bounds the reads of a cluster of ours before its destroy. An election takes seconds, and
// a dead cluster must not delay the destroy for longer.
const ownLimit = 15 * time.Second

func (g Guard) update(ctx context.Context, call verb.Call, first bool) error {
	before, err := verb.Previous[Objects](call)
	if err == nil {
		err = g.Losses(ctx, g.connector(ctx, call), before)
	}
	if err == nil && first {
		err = g.admitArrivals(ctx, call, before)
	}
	if err != nil {
		return fmt.Errorf("discard-guard: %w", err)
	}
	return call.PrintJSON(g.Objects)
}

// admitArrivals refuses objects that must not be created yet. It waits some time for a namespace
// that is being deleted to end.
func (g Guard) admitArrivals(ctx context.Context, call verb.Call, before Objects) error {
	ending, err := g.Arrivals(ctx, g.connector(ctx, call), before)
	if err != nil {
		return err
	}
	for _, name := range ending {
		result, err := kinds.Run(ctx, g.DeletionGate(name), health.SecretsFrom(os.Getenv), call.Stderr)
		if err != nil {
			return err
		}
		if !result.Passes() {
			return fmt.Errorf("refused, nothing was changed: namespace %s is still being deleted, "+
				"and the stack would lose what it puts there; end it as said above, then run pulumi up again", name)
		}
	}
	return nil
}

// beforeOwn checks a cluster of ours before the destroy deletes it.
func (g Guard) beforeOwn(ctx context.Context, call verb.Call) error {
	g.Timeout.Duration = min(g.Timeout.Duration, ownLimit)
	ctx, cancel := context.WithTimeout(ctx, g.Timeout.Duration)
	defer cancel()
	lease, err := tunnel.Open(ctx, g.Tunnel, call.SSHKey())
	if err != nil {
		return g.CheckDestroy(ctx, nil, err, call.Stderr)
	}
	defer lease.Close()
	client, err := call.Client(g.Servers...)
	if err != nil {
		return g.CheckDestroy(ctx, nil, err, call.Stderr)
	}
	return g.CheckDestroy(ctx, client, nil, call.Stderr)
}

// connector returns a function that connects to the guard's cluster, until ctx ends.
func (g Guard) connector(ctx context.Context, call verb.Call) func() (Cluster, error) {
	return func() (cluster Cluster, err error) {
		lease, err := tunnel.Open(ctx, g.Tunnel, call.SSHKey())
		if err != nil {
			return cluster, err
		}
		context.AfterFunc(ctx, lease.Close)
		servers := g.Servers
		if g.Existing {
			servers = nil // use the kubeconfig's own address, which may have a path
		}
		if cluster.Objects, err = call.Objects(servers...); err != nil {
			return cluster, err
		}
		client, err := call.Client(servers...)
		if err != nil {
			return cluster, err
		}
		cluster.Kinds = client.Discovery()
		return cluster, nil
	}
}
