package system

import (
	"context"
	"slices"
	"sync"
	"time"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
)

type systemWatch struct {
	spec    Spec
	cluster *kube.Cluster
	stable  *observe.Stable
	dns     kube.WorkloadRef
	hosts   []health.Host
	key     []byte

	mu sync.Mutex
	// facts are the latest facts, nil before the first ones. names holds the addresses that the
	// hosts use in their queries, and the replies.
	facts *systemFacts
	names namesFacts
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	w := &systemWatch{
		spec: s, cluster: all, stable: observe.NewStable(time.Now),
		dns:   kube.WorkloadRef{Namespace: dnsNamespace, Kind: "Deployment", Name: dnsDeployment},
		hosts: spec.Hosts, key: secrets.SSHKey,
	}
	w.spec.Existing = spec.Existing
	if w.names.Skipped = host.WhyNoHosts(w.hosts, w.key); slices.Contains(w.spec.Disabled,
		"coredns") {
		w.names.Skipped = noDNS
	}
	for _, h := range w.hosts {
		w.names.Hosts = append(w.names.Hosts, host.Resolved{Host: h.Name})
	}
	return w, nil
}

// Run implements health.Watch. It observes the objects when they change, and makes the hosts query
// DNS again and again. judge combines both.
func (w *systemWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	changed, news := make(chan struct{}, 1), make(chan struct{}, 1)
	var parts sync.WaitGroup
	parts.Go(func() { w.cluster.Follow(ctx, changed, w.sources()) })
	var moved []chan struct{}
	if w.names.Skipped == "" {
		for i := range w.hosts {
			moved = append(moved, make(chan struct{}, 1))
			parts.Go(func() { w.askFrom(ctx, i, moved[i], news) })
		}
	}
	parts.Go(func() {
		observe.RepeatAction(ctx, changed, observe.Interval, func(ctx context.Context) {
			w.take(kube.ObserveOnce(ctx, w.cluster, w.stable, w.read))
			for _, one := range append(moved, news) {
				observe.Signal(one)
			}
		})
	})
	observe.ReportNews(ctx, news, w.judge, report)
	parts.Wait()
	return nil
}

func (w *systemWatch) sources() []kube.Source {
	return append(w.dns.Sources(),
		kube.Source{Resource: kube.AccountResource, Namespace: "default", Name: "default"},
		kube.Source{Resource: kube.APIServiceResource, Name: metricsAPI},
		kube.Source{Resource: kube.ServiceResource, Namespace: dnsNamespace, Name: dnsService},
		kube.Source{Resource: kube.EndpointSliceResource, Namespace: dnsNamespace,
			Labels: kube.ServiceLabel + "=" + dnsService},
	)
}

// askFrom makes a host send its queries to the present address of Service kube-dns.
func (w *systemWatch) askFrom(
	ctx context.Context, i int, moved <-chan struct{}, news chan<- struct{},
) {
	server := func() string {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.names.Server
	}
	host.Follow(ctx, moved, server, func(ctx context.Context, server string) {
		host.Resolve(ctx, w.hosts[i], w.key, server, apiName(w.spec.Domain),
			func(told host.Resolved) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.names.Hosts[i] = told
				observe.Signal(news)
			})
	})
}

// take stores observed facts. If no API server answered, the addresses of the previous facts stay.
func (w *systemWatch) take(facts systemFacts) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.facts = &facts
	if facts.Fault == nil {
		w.names.Server, w.names.Want = facts.Server, facts.API
	}
}

// judge returns the verdicts on the latest facts; nil before the first observation.
func (w *systemWatch) judge() []health.Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.facts == nil {
		return nil
	}
	return judgeSystem(w.spec, *w.facts, w.names)
}
