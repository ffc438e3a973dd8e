package nodes

import (
	"context"
	"slices"
	"sync"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
)

// observeHost observes the K3s unit of host i until ctx ends. It also makes the host connect to the
// Pods and kubelets of the other hosts.
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

// Observe reads the Nodes and their Leases from one API server.
func (w *Watch) Observe(ctx context.Context) Facts {
	return kube.ObserveOnce(ctx, w.Cluster, w.Stable, w.read)
}

func (w *Watch) read(ctx context.Context, s *kube.APIServer) (facts Facts, err error) {
	nodes, err := kube.List[corev1.Node](ctx, s, kube.NodeResource, "", metav1.ListOptions{})
	if err != nil {
		return facts, err
	}
	var serving []discoveryv1.EndpointSlice
	if w.asksPods() {
		if serving, err = endpoints(ctx, s); err != nil {
			return facts, err
		}
	}
	leases, err := kube.List[coordinationv1.Lease](ctx, s, kube.LeaseResource, leaseNamespace,
		metav1.ListOptions{})
	if err != nil {
		return facts, err
	}
	for i := range nodes {
		one := factsOfNode(&nodes[i], w.spec.Settings[nodes[i].Name])
		one.Pod = findPod(one.PodCIDR, serving)
		one.Heartbeat = w.heartbeat(&nodes[i], leases)
		one.Seconds = w.Stable.Seconds("node "+one.Name, one.identity(nodes[i].UID))
		facts.Nodes = append(facts.Nodes, one)
	}
	return facts, nil
}

// heartbeat reports whether the kubelet is alive: it has just posted its status, or it renews the
// Node's Lease. Kubernetes accepts either as well (kubernetes pkg/controller/nodelifecycle:
// tryUpdateNodeHealth). The Lease alone is not enough: if a Node was deleted and registers again,
// its new Lease is created up to ten seconds later.
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
