package nodes

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
)

// leaseNamespace holds one Lease per Node, renewed every 10 s.
const leaseNamespace = "kube-node-lease"

// leaseFresh bounds the age of a renewal: the Lease's own duration (40 s) and the clock skew that
// the host gate allows.
const leaseFresh = 45 * time.Second

// controlPlaneLabel marks the Nodes of servers.
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// startupTaints keep Pods off a Node until a controller has done its part.
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
	// key opens SSH to the hosts. Without it, the checks of units are skipped.
	key    []byte
	Stable *observe.Stable
	Now    observe.Clock
	spec   Spec
	// Renewed is the last renewal of each Lease and when it was first seen.
	Renewed map[string]Renewal
}

// Renewal is one value of a Lease's renewTime. If the value replaced another, its age is measured
// by this machine's clock alone. So a host whose clock is wrong is not considered dead.
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

// Run implements Watch. It observes Nodes and units at the same time: a Node's condition is a
// controller's last word, and the unit is the present state.
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

// observeHost observes a host's unit. It also makes the host ask the Pod networks and the kubelets
// of the other hosts.
func (w *Watch) observeHost(ctx context.Context, i int, seen *nodesAndUnits, news chan<- struct{}) {
	var parts sync.WaitGroup
	defer parts.Wait()
	h := w.hosts[i]
	if len(w.hosts) > 1 && (w.spec.PodNetwork.IsValid() || w.spec.Kubelets) {
		parts.Go(func() {
			host.Follow(ctx, seen.moved[i], func() string { return seen.asks(i) },
				func(ctx context.Context, addresses string) {
					host.AskAnswers(ctx, h, w.key, addresses, kubeletPort,
						func(address string, came host.Answer) {
							seen.update(func() { seen.hear(i, address, came) })
							observe.Signal(news)
						})
				})
		})
	}
	host.ObserveUnit(ctx, h, w.key, w.spec.PodNetwork.IsValid(), func(f host.UnitFacts) {
		seen.update(func() { seen.units[i] = f })
		observe.Signal(news)
	})
}

// Observe reads the Nodes and their Leases from one server.
func (w *Watch) Observe(ctx context.Context) Facts {
	var nodes []corev1.Node
	var leases []coordinationv1.Lease
	var serving []discoveryv1.EndpointSlice
	fault, seconds := w.Cluster.ObserveOnce(ctx, w.Stable,
		func(ctx context.Context, s *kube.APIServer) (err error) {
			if nodes, err = kube.List[corev1.Node](ctx, s, kube.NodeResource, "",
				metav1.ListOptions{}); err != nil {
				return err
			}
			if w.asksPods() {
				if serving, err = endpoints(ctx, s); err != nil {
					return err
				}
			}
			leases, err = kube.List[coordinationv1.Lease](ctx, s, kube.LeaseResource,
				leaseNamespace,
				metav1.ListOptions{})
			return err
		})
	if fault != nil {
		return Facts{Fault: fault, Seconds: seconds}
	}
	facts := Facts{}
	for i := range nodes {
		one := factsOfNode(&nodes[i], w.spec.Settings[nodes[i].Name])
		one.Pod = findPod(one.PodCIDR, serving)
		one.Heartbeat = w.heartbeat(&nodes[i], leases)
		one.Seconds = w.Stable.Seconds("node "+one.Name,
			strings.Join([]string{string(nodes[i].UID), one.InternalIP,
				strconv.FormatBool(one.Server), fmt.Sprint(one.Lacking)}, " "))
		facts.Nodes = append(facts.Nodes, one)
	}
	return facts
}

// heartbeat reports whether the kubelet lives: it has just posted its status, or it renews the
// Node's Lease. Kubernetes accepts either as well (kubernetes pkg/controller/nodelifecycle:
// tryUpdateNodeHealth). When a Node returns, its Lease is first removed together with the old Node.
// The next renewal makes the Lease anew, ten seconds later.
func (w *Watch) heartbeat(node *corev1.Node, leases []coordinationv1.Lease) heartbeat {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && w.Now().Sub(c.LastHeartbeatTime.Time).Abs() <= leaseFresh {
			return heartbeatFresh
		}
	}
	i := slices.IndexFunc(leases, func(l coordinationv1.Lease) bool { return l.Name == node.Name })
	if i < 0 || leases[i].Spec.RenewTime == nil {
		return heartbeatNone
	}
	at := leases[i].Spec.RenewTime.Time
	last, known := w.Renewed[node.Name]
	if !known || !last.at.Equal(at) {
		last = Renewal{at: at, seen: w.Now(), moved: known}
		w.Renewed[node.Name] = last
	}
	if w.Now().Sub(at).Abs() <= leaseFresh || last.moved && w.Now().Sub(last.seen) <= leaseFresh {
		return heartbeatFresh
	}
	return heartbeatStale
}
