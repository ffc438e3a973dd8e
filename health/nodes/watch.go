package nodes

import (
	"context"
	"sync"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// leaseNamespace holds one Lease per Node, renewed every 10 s.
const leaseNamespace = "kube-node-lease"

// leaseFresh is the age up to which a Lease's renewal counts as fresh: the Lease's duration (40 s)
// and a margin.
const leaseFresh = 45 * time.Second

// controlPlaneLabel marks the Nodes of servers.
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// startupTaints keep Pods off a Node until a controller removes them.
var startupTaints = []string{
	"node.cloudprovider.kubernetes.io/uninitialized",
	"node.kubernetes.io/not-ready",
	"node.kubernetes.io/network-unavailable",
	"node.kubernetes.io/unreachable",
}

// Watch observes Nodes, their Leases and, over SSH, the units of their hosts.
type Watch struct {
	Cluster *kube.Cluster
	hosts   []health.Host
	// key is the SSH key for the hosts. Without it, the checks of units are Skipped.
	key    []byte
	Stable *observe.Stable
	Now    observe.Clock
	spec   Spec
	// Renewed is the last renewal of each Node's Lease, by the Node's name.
	Renewed map[string]Renewal
}

// Renewal is one value of a Lease's renewTime, and the time when it was first seen. If moved is
// true, the value replaced another one, and its age counts from seen. So a kubelet on a host with a
// wrong clock does not count as dead.
type Renewal struct {
	at, seen time.Time
	moved    bool
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &Watch{
		Cluster: all, hosts: spec.Hosts, key: secrets.SSHKey, spec: s,
		Stable: observe.NewStable(time.Now), Now: time.Now,
		Renewed: map[string]Renewal{},
	}, nil
}

// Run implements health.Watch. It observes Nodes and units at the same time: a unit's state is
// current, while a Node's condition may be out of date.
func (w *Watch) Run(ctx context.Context, report func([]health.Verdict)) error {
	seen := newNodesAndUnits(w.hosts, w.spec, len(w.key) > 0, observe.NewStable(w.Now))
	news := make(chan struct{}, 1)
	var parts sync.WaitGroup
	if seen.asked {
		for i := range w.hosts {
			parts.Go(func() { w.observeHost(ctx, i, seen, news) })
		}
	}
	changed := make(chan struct{}, 1)
	sources := []kube.Source{{Resource: kube.NodeResource},
		{Resource: kube.LeaseResource, Namespace: leaseNamespace}}
	parts.Go(func() { w.Cluster.Follow(ctx, changed, sources) })
	parts.Go(func() {
		observe.RepeatAction(ctx, changed, observe.Interval, func(ctx context.Context) {
			facts := w.Observe(ctx)
			seen.update(func() { seen.nodes = &facts })
			observe.Signal(news)
		})
	})
	observe.ReportNews(ctx, news, seen.judge, report)
	parts.Wait()
	return nil
}
