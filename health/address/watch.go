package address

import (
	"context"
	"sync"
	"time"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
	"strata/internal/ssh/tunnel"
)

// addressWatch observes the Service when it changes, and connects to its address again and again.
type addressWatch struct {
	spec    Spec
	cluster *kube.Cluster
	stable  *observe.Stable
	hosts   []health.Host
	key     []byte
	skipped string
	dial    tunnel.DialFunc
	// network finds the machine that answers for the address on this machine's own network.
	network network
	// movedHere and movedHosts receive a token when the Service's address may have changed. news
	// receives a token when the facts have changed.
	movedHere, movedHosts, news chan struct{}

	mu    sync.Mutex
	seen  bool
	facts addressFacts
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	signals := func() chan struct{} { return make(chan struct{}, 1) }
	w := &addressWatch{
		spec: s, cluster: all, stable: observe.NewStable(time.Now), hosts: spec.Hosts,
		key:  secrets.SSHKey,
		dial: Dialer(spec.Tunnel()), network: networkOf(spec.Tunnel()), movedHere: signals(),
		movedHosts: signals(), news: signals(),
	}
	w.skipped = host.WhyNoHosts(w.hosts, w.key)
	return w, nil
}

// Run implements health.Watch.
func (w *addressWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	var parts sync.WaitGroup
	changed := make(chan struct{}, 1)
	parts.Go(func() {
		w.cluster.Follow(ctx, changed,
			serviceSources(w.spec.Namespace, w.spec.Service))
	})
	parts.Go(func() { w.observeAgain(ctx, changed) })
	parts.Go(func() { w.dialAgain(ctx) })
	if w.skipped == "" {
		parts.Go(func() {
			host.FromHostsAt(ctx, w.hosts, w.key, w.movedHosts, w.address, w.connectionTo,
				func(address string, runs []host.Run) {
					w.take(address, func(f *addressFacts) { f.Hosts.Runs = runs })
				})
		})
		parts.Go(func() { w.observeFromHosts(ctx) })
	}
	observe.ReportNews(ctx, w.news, w.judge, report)
	parts.Wait()
	return nil
}

// serviceSources returns the objects to watch for a Service: itself, its EndpointSlices and the
// Events of its namespace.
func serviceSources(namespace, service string) []kube.Source {
	return []kube.Source{
		{Resource: kube.ServiceResource, Namespace: namespace, Name: service},
		{Resource: kube.EndpointSliceResource, Namespace: namespace,
			Labels: kube.ServiceLabel + "=" + service},
		{Resource: kube.EventResource, Namespace: namespace},
	}
}

// connectionTo returns a test that connects to every port at an address.
func (w *addressWatch) connectionTo(address string) host.Connection {
	return host.Connection{Address: address, Ports: w.spec.Ports}
}

func (w *addressWatch) observeAgain(ctx context.Context, changed <-chan struct{}) {
	for ctx.Err() == nil {
		facts := kube.ObserveOnce(ctx, w.cluster, w.stable, w.read)
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		if facts.Fault != nil {
			// While the API does not answer, keep the last address. The hosts still connect to it,
			// and send a result only when it changes.
			facts.Service.Address, facts.nodes = w.facts.Service.Address, w.facts.nodes
		}
		if facts.Service.Address == w.facts.Service.Address {
			facts.Dials = w.facts.Dials
			facts.Hosts.Runs = w.facts.Hosts.Runs
			facts.Who = w.facts.Who
			facts.Away, facts.Announced = w.facts.Away, w.facts.Announced
		}
		w.facts, w.seen = facts, true
		w.mu.Unlock()
		for _, channel := range []chan struct{}{w.movedHere, w.movedHosts, w.news} {
			observe.Signal(channel)
		}
		observe.WaitFor(ctx, changed, observe.Interval)
	}
}

// dialAgain connects to the Service's present address again and again, and stores the results and
// the machine that answered.
func (w *addressWatch) dialAgain(ctx context.Context) {
	stood := observe.NewStable(time.Now)
	for ctx.Err() == nil {
		if address := w.address(); address != "" {
			dials := dialAll(ctx, w.dial, address, w.spec.Ports)
			who := w.whoAnswers(ctx, address)
			who.Seconds = stood.Seconds("who", address+" "+who.MAC)
			away := stood.Seconds("away", address)
			if !unreachable(dials) {
				away = 0
				stood.Forget("away")
			}
			if ctx.Err() == nil {
				w.take(address, func(f *addressFacts) { f.Dials, f.Who, f.Away = dials, who, away })
			}
		}
		observe.WaitFor(ctx, w.movedHere, dialInterval)
	}
}

// whoAnswers returns the machine that answers for an address on this machine's network.
func (w *addressWatch) whoAnswers(ctx context.Context, address string) answererFacts {
	nodes := w.nodes()
	who := whoAnswers(w.network.table(ctx), address, nodes)
	if who.Nodes[who.MAC] == "" && who.MAC != "" {
		w.network.meet(nodes) // so that the next table has the nodes
	}
	return who
}

// take applies change to the facts of an address, unless the Service has a different address by
// now.
func (w *addressWatch) take(address string, change func(*addressFacts)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.facts.Service.Address == address {
		change(&w.facts)
		observe.Signal(w.news)
	}
}

// address returns the Service's address at the last observation.
func (w *addressWatch) address() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.facts.Service.Address
}

// nodes returns the nodes' IP addresses by name, as of the last observation.
func (w *addressWatch) nodes() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.facts.nodes
}

// judge returns the verdicts on the latest facts; nil before the first observation.
func (w *addressWatch) judge() []health.Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.seen {
		return nil
	}
	facts := w.facts
	facts.Hosts.Skipped, facts.Hosts.Address = w.skipped, facts.Service.Address
	if facts.Hosts.Runs == nil {
		facts.Hosts.Runs = host.NotAsked(w.hosts)
	}
	return judgeAddress(w.spec, facts)
}
