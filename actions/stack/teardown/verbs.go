package teardown

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"strata/actions/stack/recovery"
	"strata/actions/verb"
	"strata/health"
	"strata/health/kinds"
	"strata/internal/kube/helmrecord"
	"strata/internal/ssh/tunnel"
)

// These are the verbs of the guard resources. The kubeconfig is in STRATA_KUBECONFIG. An update
// compares the program's objects with its previous output, and prints them for the next update.
var (
	// Update fails if the run would delete objects that contain other owners' objects, or to which
	// such objects refer.
	Update = verb.New(func(ctx context.Context, call verb.Call, guard Guard) error {
		return guard.update(ctx, call, false)
	})
	// UpdateFirst makes the checks of Update, and also checks the objects that the run adds, before
	// any layer changes. It fails for an added namespace that is still being deleted, and for an
	// added Argo CD that would continue the deletion of Applications.
	UpdateFirst = verb.New(func(ctx context.Context, call verb.Call, guard Guard) error {
		return guard.update(ctx, call, true)
	})
	// Delete runs as the first step of a destroy. It fails if the cluster is protected, and prints
	// the objects that will be lost. Old states contain this command, so it must stay compatible.
	Delete = verb.New(func(ctx context.Context, call verb.Call, guard Guard) error {
		if err := recovery.NoteParent("."); err != nil {
			_, _ = fmt.Fprintln(call.Stderr, "teardown:", err)
		}
		if guard.Existing {
			return guard.beforeExisting(ctx, call)
		}
		return guard.beforeOwn(ctx, call)
	})
)

// ownLimit bounds the reads of the stack's own cluster before its destroy. It covers an etcd leader
// election, which takes seconds; a dead cluster must not delay the destroy for longer than this.
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

// admitArrivals fails for objects that must not be created yet. For a namespace that is still being
// deleted, it first waits for the end of the deletion.
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

// beforeExisting checks an existing cluster before a destroy. A release without a record gets one,
// because the provider fails to delete it otherwise ("release: not found").
func (g Guard) beforeExisting(ctx context.Context, call verb.Call) error {
	gone := verb.ClusterGone()
	err := g.BeforeExisting(ctx, g.connector(ctx, call), gone)
	if err != nil || gone {
		return err
	}
	client, err := call.Client()
	if err != nil {
		return err
	}
	for _, release := range g.Objects[KindRelease] {
		namespace, name, _ := strings.Cut(release, "/")
		if err := helmrecord.RecordMissing(ctx, client, namespace, name); err != nil {
			return fmt.Errorf("teardown: %w", err)
		}
	}
	return nil
}

// beforeOwn checks the stack's own cluster before a destroy. It only fails if the cluster is
// protected.
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

// connector returns a function that connects to the guard's cluster. The connection closes when ctx
// is done.
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
