package webhook

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
	"strata/health/rights"
)

// webhookWatch observes the objects when they change, repeats dry runs through each API server, and
// makes the hosts connect to the webhook.
type webhookWatch struct {
	spec      Spec
	cluster   *kube.Cluster
	workloads []kube.WorkloadRef
	images    map[string][]string
	stable    *observe.Stable
	rights    *rights.Observer
	probes    []*probe
	// hosts connect to the webhook, over SSH with key. skipped says why they do not; empty if they
	// do.
	hosts   []health.Host
	key     []byte
	skipped string
	// moved has a token when the Service's address may have changed.
	moved chan struct{}

	mu sync.Mutex
	// facts are the latest facts, without the dry runs, whose results are in probes.
	facts webhookFacts
	// runs holds the hosts' last reports.
	runs []host.Run
	// epoch counts the changes of the webhook configurations. Passes for a previous configuration
	// do not count.
	epoch int
	// rolledOut is true if the workloads are rolled out, since rolledOutAt. Before that, a Pod of an
	// old revision may have answered.
	rolledOut   bool
	rolledOutAt time.Time
	// version is the configuration's resourceVersion.
	version string
	// seen is true after the first observation of the objects. Before it, judge returns nil.
	seen bool
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	w := &webhookWatch{
		spec: s, images: spec.Images, stable: observe.NewStable(time.Now),
		hosts: spec.Hosts, key: secrets.SSHKey, moved: make(chan struct{}, 1),
	}
	w.rights = rights.NewObserver(spec, secrets, w.stable)
	w.skipped = host.WhyNoHosts(w.hosts, w.key)
	var err error
	if w.cluster, err = kube.ClusterOf(spec, secrets); err != nil {
		return nil, err
	}
	for _, text := range s.Workloads {
		ref, err := kube.ParseWorkload(text)
		if err != nil {
			return nil, err
		}
		w.workloads = append(w.workloads, ref)
	}
	if err := w.newProbes(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *webhookWatch) newProbes() error {
	accept := &unstructured.Unstructured{Object: w.spec.Accept}
	deny := &unstructured.Unstructured{Object: w.spec.Deny}
	if accept.GetKind() == "" || accept.GetAPIVersion() == "" {
		return errors.New("spec: webhook.accept: expected an object with apiVersion and kind; " +
			"without one nothing can be proved")
	}
	if len(w.spec.Deny) > 0 && (deny.GetKind() != accept.GetKind() ||
		deny.GetAPIVersion() != accept.GetAPIVersion()) {
		return fmt.Errorf("spec: webhook.deny: is %s, expected %s as accept",
			kindOfObject(w.spec.Deny), kindOfObject(w.spec.Accept))
	}
	for _, server := range w.cluster.Servers {
		w.probes = append(w.probes, newProbe(server, w.spec, time.Now))
	}
	return nil
}

// Run implements health.Watch.
func (w *webhookWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	changed, news := make(chan struct{}, 1), make(chan struct{}, 1)
	var parts sync.WaitGroup
	parts.Go(func() { w.cluster.Follow(ctx, changed, w.sources()) })
	parts.Go(func() { w.observeAgain(ctx, changed, news) })
	for _, p := range w.probes {
		parts.Go(func() { w.probeAgain(ctx, p, news) })
	}
	if w.skipped == "" {
		parts.Go(func() { w.askHosts(ctx, news) })
	}
	observe.ReportNews(ctx, news, w.judge, report)
	parts.Wait()
	return nil
}

func (w *webhookWatch) sources() []kube.Source {
	sources := []kube.Source{
		{Resource: configurationResource(w.spec.Mutating), Name: w.spec.Configuration},
		{Resource: kube.EndpointSliceResource, Namespace: w.spec.Namespace,
			Labels: kube.ServiceLabel + "=" + w.spec.Service},
		{Resource: kube.ServiceResource, Namespace: w.spec.Namespace, Name: w.spec.Service},
	}
	if w.spec.Mutates != "" {
		sources = append(sources, kube.Source{Resource: configurationResource(true),
			Name: w.spec.Mutates})
	}
	if w.spec.CASecret != "" {
		sources = append(sources, kube.Source{Resource: kube.SecretResource,
			Namespace: w.spec.Namespace, Name: w.spec.CASecret})
	}
	for _, ref := range w.workloads {
		sources = append(sources, ref.Sources()...)
	}
	return sources
}

// observeAgain observes the objects at every change, and then starts the probes' next dry runs at
// once.
func (w *webhookWatch) observeAgain(
	ctx context.Context, changed <-chan struct{}, news chan<- struct{},
) {
	for ctx.Err() == nil {
		facts, version := w.observe(ctx)
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		if facts.Fault != nil {
			// While the API does not answer, keep the last address. The hosts still connect to it,
			// and send a result only when it changes.
			facts.Hosts.Address = w.facts.Hosts.Address
		}
		if facts.Fault == nil && version != w.version {
			w.version = version
			w.epoch++
		}
		moved := !reflect.DeepEqual(facts, w.facts)
		if facts.Hosts.Address != w.facts.Hosts.Address {
			w.runs = nil
		}
		if rolledOut := facts.rolledOut(); rolledOut != w.rolledOut {
			w.rolledOut, w.rolledOutAt = rolledOut, time.Now()
		}
		w.facts, w.seen = facts, true
		w.mu.Unlock()
		observe.Signal(w.moved)
		if moved {
			for _, p := range w.probes {
				p.kick()
			}
		}
		observe.Signal(news)
		observe.WaitFor(ctx, changed, observe.Interval)
	}
}

// probeAgain repeats the dry runs through one API server, until ctx ends.
func (w *webhookWatch) probeAgain(ctx context.Context, p *probe, news chan<- struct{}) {
	for ctx.Err() == nil {
		w.mu.Lock()
		epoch, counts := w.epoch, w.seen && w.facts.hasConfigurations()
		w.mu.Unlock()
		if p.attempt(ctx, epoch, counts) {
			observe.Signal(news)
		}
		observe.WaitFor(ctx, p.wake, p.pause())
	}
}

// judge combines the latest observation with the latest dry runs. It returns nil before the first
// observation.
func (w *webhookWatch) judge() []health.Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.seen {
		return nil
	}
	facts := w.facts
	facts.Probes = nil
	for _, p := range w.probes {
		latest := p.latest(w.epoch)
		latest.Seconds = min(latest.Seconds, int(time.Since(w.rolledOutAt).Seconds()))
		facts.Probes = append(facts.Probes, latest)
	}
	facts.Hosts.Skipped, facts.Hosts.Runs = w.skipped, w.runs
	if facts.Hosts.Runs == nil {
		facts.Hosts.Runs = host.NotAsked(w.hosts)
	}
	return judgeWebhook(w.spec, facts)
}

// dryRun creates an object without storing it, and returns it as it would have been stored.
func dryRun(
	ctx context.Context, s *kube.APIServer, kind kube.ResourceKind, object map[string]any,
) (map[string]any, error) {
	u := (&unstructured.Unstructured{Object: object}).DeepCopy()
	options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: "strata-gate"}
	resource := s.Dyn.Resource(kind.Resource)
	create := resource.Create
	if kind.Namespaced {
		create = resource.Namespace(u.GetNamespace()).Create
	}
	returned, err := create(ctx, u, options)
	if err != nil {
		return nil, err //nolint:wrapcheck // classified by its own words.
	}
	return returned.Object, nil
}
