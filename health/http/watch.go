package http

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
	"strata/internal/ssh/tunnel"
)

// httpInterval is the pause between two requests of one probe. Polling is needed because no event
// reports that a URL begins to answer.
const httpInterval = 100 * time.Millisecond

// httpWatch observes the Service and the CA when they change, and requests each URL again and
// again.
type httpWatch struct {
	spec    Spec
	cluster *kube.Cluster
	stable  *observe.Stable
	// user, password and key are the credentials. No fact or message contains them.
	user, password, key string
	through             tunnel.Spec
	news                chan struct{}
	moved               []chan struct{}

	mu   sync.Mutex
	seen bool
	// facts are the latest facts, with the answers from target.
	facts  httpFacts
	target httpTarget
	// epoch counts the changes of target, so that answers from an earlier target are dropped.
	epoch int
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	w := &httpWatch{spec: s, cluster: all, stable: observe.NewStable(time.Now),
		news: make(chan struct{}, 1), through: spec.Tunnel()}
	user, password, found := strings.Cut(string(secrets.BasicAuth), ":")
	w.user, w.password, w.key = user, password, string(secrets.APIKey)
	for _, probe := range w.spec.Probes {
		if probe.KeyHeader != "" && w.key == "" {
			return nil, errors.New("STRATA_API_KEY: empty, and probe " + probe.Name + " sends it")
		}
		if (probe.Auth || probe.Login) && !found {
			return nil, errors.New("STRATA_BASIC_AUTH: expected user:password, which probe " +
				probe.Name + " sends")
		}
		w.moved = append(w.moved, make(chan struct{}, 1))
	}
	return w, nil
}

// Run implements health.Watch.
func (w *httpWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	var parts sync.WaitGroup
	changed := make(chan struct{}, 1)
	parts.Go(func() { w.cluster.Follow(ctx, changed, w.sources()) })
	parts.Go(func() { w.observeAgain(ctx, changed) })
	for i, probe := range w.spec.Probes {
		parts.Go(func() { w.askAgain(ctx, probe, w.moved[i]) })
	}
	observe.ReportNews(ctx, w.news, w.judge, report)
	parts.Wait()
	return nil
}

func (w *httpWatch) sources() []kube.Source {
	sources := []kube.Source{{Resource: kube.ServiceResource, Namespace: w.spec.Namespace,
		Name: w.spec.Service}, {Resource: kube.EventResource, Namespace: w.spec.Namespace}}
	if namespace, name, found := strings.Cut(w.spec.CASecret, "/"); found {
		sources = append(sources, kube.Source{Resource: kube.SecretResource, Namespace: namespace,
			Name: name})
	}
	return sources
}

// observeAgain observes the objects at every change. If the address or the CA changes, it drops all
// answers.
func (w *httpWatch) observeAgain(ctx context.Context, changed <-chan struct{}) {
	for ctx.Err() == nil {
		facts := kube.ObserveOnce(ctx, w.cluster, w.stable, w.read)
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		if facts.Service.Address != w.facts.Service.Address || !w.seen ||
			!slices.Equal(facts.ca, w.facts.ca) {
			w.epoch++
			w.target = httpTarget{address: facts.Service.Address, through: w.through, user: w.user,
				password: w.password, key: w.key}
			if w.spec.CASecret != "" {
				w.target.roots, facts.CA = rootsOf(facts.ca, w.spec.CASecret)
			}
		} else {
			facts.Answers, facts.CA = w.facts.Answers, w.facts.CA
		}
		w.facts, w.seen = facts, true
		w.mu.Unlock()
		for _, moved := range w.moved {
			observe.Signal(moved)
		}
		observe.Signal(w.news)
		observe.WaitFor(ctx, changed, observe.Interval)
	}
}

// askAgain requests one URL again and again, until ctx ends.
func (w *httpWatch) askAgain(ctx context.Context, probe Probe, moved <-chan struct{}) {
	for ctx.Err() == nil {
		w.mu.Lock()
		target, epoch, usable := w.target, w.epoch, w.facts.Service.Address != "" &&
			w.facts.CA == ""
		w.mu.Unlock()
		if usable {
			start := time.Now()
			if answer := target.ask(ctx, probe); ctx.Err() == nil {
				w.take(epoch, probe, answer, time.Since(start))
			}
		}
		observe.WaitFor(ctx, moved, httpInterval)
	}
}

// take stores an answer, unless the target has changed since the request. After httpPasses accepted
// answers in a row, the stored duration and number of attempts no longer change.
func (w *httpWatch) take(epoch int, probe Probe, answer httpAnswer, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if epoch != w.epoch {
		return
	}
	answers := slices.Clone(w.facts.Answers)
	at := slices.IndexFunc(answers, func(a httpAnswer) bool { return a.Name == probe.Name })
	if at < 0 {
		at, answers = len(answers), append(answers, httpAnswer{})
	}
	answer.Attempts = answers[at].Attempts
	if answers[at].Passes < httpPasses {
		answer.Attempts++
	}
	if answerPasses(probe, answer) {
		answer.Passes = min(answers[at].Passes+1, httpPasses)
		answer.Took = took.Round(100 * time.Microsecond).String()
		if answers[at].Passes == httpPasses {
			answer.Took = answers[at].Took
		}
	}
	changed := !reflect.DeepEqual(answers[at], answer)
	answers[at] = answer
	w.facts.Answers = answers
	if changed {
		observe.Signal(w.news)
	}
}

// answerPasses reports whether an answer has everything that the probe requires.
func answerPasses(p Probe, a httpAnswer) bool {
	return a.Error == "" && slices.Contains(probeStatuses(p), a.Status) && !a.Lacks &&
		(p.RedirectTo == "" || a.Location == p.RedirectTo) &&
		strings.HasPrefix(a.Location, p.RedirectPrefix)
}

// judge returns the verdicts on the latest facts; nil before the first observation.
func (w *httpWatch) judge() []health.Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.seen {
		return nil
	}
	return judgeHTTP(w.spec, w.facts)
}
