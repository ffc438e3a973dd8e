package health

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// leaseNamespace holds one Lease per Node, renewed every 10 s.
const leaseNamespace = "kube-node-lease"

// leaseFresh is how old a renewal may be: the Lease's own duration (40 s) and the clock skew that the host gate allows.
const leaseFresh = 45 * time.Second

// controlPlaneLabel marks servers.
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// noKey is why checks over SSH are skipped.
const noKey = "no SSH key was given (STRATA_SSH_KEY), so no host can be asked"

// startupTaints keep Pods off a Node until a controller has done its part.
var startupTaints = []string{
	"node.cloudprovider.kubernetes.io/uninitialized",
	"node.kubernetes.io/not-ready",
	"node.kubernetes.io/network-unavailable",
	"node.kubernetes.io/unreachable",
}

type nodesWatch struct {
	cluster *cluster
	hosts   []Host
	// key opens SSH to the hosts; without it, their units are skipped.
	key     []byte
	settled *settled
	now     clock
	// network is the Pod network that each host needs routes in; not valid where none are needed.
	network netip.Prefix
	// registered takes the Nodes that there are for the expected ones.
	registered bool
	// renewed is the last renewal of each Lease and when it was first seen.
	renewed map[string]renewal
}

// renewal is one value of a Lease's renewTime. One that replaced another is fresh by this machine's clock alone, so a host
// whose clock is off is not taken for a dead one.
type renewal struct {
	at, seen time.Time
	moved    bool
}

func newNodes(spec Spec, secrets Secrets) (Watch, error) {
	registered := spec.Nodes != nil && spec.Nodes.Registered
	if len(spec.Hosts) == 0 && !registered {
		return nil, errors.New("spec: hosts: empty; an empty node set is never ready")
	}
	all, err := newClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	nodes := &nodesWatch{cluster: all, hosts: spec.Hosts, key: secrets.SSHKey, settled: newSettled(time.Now), now: time.Now, registered: registered, renewed: map[string]renewal{}}
	if spec.Nodes != nil {
		nodes.network = spec.Nodes.PodNetwork
	}
	return nodes, nil
}

// Run implements Watch. Nodes and units are looked at side by side: a Node's condition is what a controller last wrote, the
// unit is what runs now.
func (w *nodesWatch) Run(ctx context.Context, report func([]Verdict)) error {
	seen := &nodesAndUnits{hosts: w.hosts, registered: w.registered, network: w.network, asked: len(w.key) > 0, settled: newSettled(w.now), units: make([]unitFacts, len(w.hosts))}
	news := make(chan struct{}, 1)
	var parts sync.WaitGroup
	for i, host := range w.hosts {
		if !seen.asked {
			break
		}
		parts.Go(func() {
			observeUnit(ctx, host, w.key, w.network.IsValid(), func(f unitFacts) {
				seen.update(func() { seen.units[i] = f })
				signal(news)
			})
		})
	}
	changed := make(chan struct{}, 1)
	sources := []source{{resource: nodeResource}, {resource: leaseResource, namespace: leaseNamespace}}
	parts.Go(func() { w.cluster.follow(ctx, changed, sources) })
	parts.Go(func() {
		again(ctx, changed, relook, func(ctx context.Context) {
			facts := w.look(ctx)
			seen.update(func() { seen.nodes = &facts })
			signal(news)
		})
	})
	reportNews(ctx, news, seen.judge, report)
	parts.Wait()
	return nil
}

// look reads the Nodes and their Leases from one server.
func (w *nodesWatch) look(ctx context.Context) nodesFacts {
	var nodes []corev1.Node
	var leases []coordinationv1.Lease
	fault, seconds := w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) (err error) {
		if nodes, err = list[corev1.Node](ctx, s, nodeResource, "", metav1.ListOptions{}); err != nil {
			return err
		}
		leases, err = list[coordinationv1.Lease](ctx, s, leaseResource, leaseNamespace, metav1.ListOptions{})
		return err
	})
	if fault != nil {
		return nodesFacts{Fault: fault, Seconds: seconds}
	}
	facts := nodesFacts{}
	for i := range nodes {
		one := factsOfNode(&nodes[i])
		one.Heartbeat = w.heartbeat(&nodes[i], leases)
		one.Seconds = w.settled.seconds("node "+one.Name, strings.Join([]string{string(nodes[i].UID), one.InternalIP, strconv.FormatBool(one.Server)}, " "))
		facts.Nodes = append(facts.Nodes, one)
	}
	return facts
}

// heartbeat says whether the kubelet lives: it has just posted its status, or renews the Node's Lease. Kubernetes takes either
// for life as well (kubernetes pkg/controller/nodelifecycle: tryUpdateNodeHealth); the Lease of a Node that returns is
// first collected with the old Node and made anew by the next renewal, ten seconds later.
func (w *nodesWatch) heartbeat(node *corev1.Node, leases []coordinationv1.Lease) heartbeat {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && w.now().Sub(c.LastHeartbeatTime.Time).Abs() <= leaseFresh {
			return heartbeatFresh
		}
	}
	i := slices.IndexFunc(leases, func(l coordinationv1.Lease) bool { return l.Name == node.Name })
	if i < 0 || leases[i].Spec.RenewTime == nil {
		return heartbeatNone
	}
	at := leases[i].Spec.RenewTime.Time
	last, known := w.renewed[node.Name]
	if !known || !last.at.Equal(at) {
		last = renewal{at: at, seen: w.now(), moved: known}
		w.renewed[node.Name] = last
	}
	if w.now().Sub(at).Abs() <= leaseFresh || last.moved && w.now().Sub(last.seen) <= leaseFresh {
		return heartbeatFresh
	}
	return heartbeatStale
}
