package kube

import (
	"cmp"
	"context"
	"sync"
	"time"

	"strata/health"
	"strata/health/observe"
)

// Watch observes objects of a cluster for one gate, whenever one of them changes and at an
// interval. F is the type of the facts of the gate's kind.
type Watch[F any] struct {
	// Stable remembers how long the API has failed in the same way. It may be nil if Read does not
	// use it.
	Stable *observe.Stable
	// Sources are the objects to watch.
	Sources []Source
	// Every is the pause between observations if nothing changes. Default: observe.Interval.
	Every time.Duration
	// Read reads the facts from one API server.
	Read  func(context.Context, *APIServer) (F, error)
	Judge func(F) []health.Verdict

	cluster *Cluster
	once    func(context.Context) []health.Verdict
}

// NewWatch completes a watch with the API servers that the gate's Spec names.
func NewWatch[F any, P embedsAPIFault[F]](
	spec health.Spec, secrets health.Secrets, w Watch[F],
) (health.Watch, error) {
	all, err := ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	w.cluster, w.Every = all, cmp.Or(w.Every, observe.Interval)
	w.Stable = cmp.Or(w.Stable, observe.NewStable(time.Now))
	w.once = func(ctx context.Context) []health.Verdict {
		return w.Judge(ObserveOnce[F, P](ctx, all, w.Stable, w.Read))
	}
	return &w, nil
}

// Run implements health.Watch.
func (w *Watch[F]) Run(ctx context.Context, report func([]health.Verdict)) error {
	changed := make(chan struct{}, 1)
	var follower sync.WaitGroup
	follower.Go(func() { w.cluster.Follow(ctx, changed, w.Sources) })
	observe.Repeat(ctx, changed, w.Every, w.once, report)
	follower.Wait()
	return nil
}

// APIFault says why the facts of a kind could not be read. The facts of most kinds embed APIFault.
type APIFault struct {
	// Fault is nil if an API server answered.
	Fault *Fault `json:"fault,omitempty"`
	// Seconds is the number of seconds for which the fault has been the same.
	Seconds int `json:"seconds,omitempty"`
}

// embedsAPIFault is a pointer to facts that embed APIFault.
type embedsAPIFault[F any] interface {
	*F
	apiFault() *APIFault
}

func (f *APIFault) apiFault() *APIFault { return f }

// SetSeconds sets Seconds from the earlier faults that seen has stored for subject.
func (f *APIFault) SetSeconds(seen *observe.Stable, subject string) {
	if f.Fault == nil {
		seen.Forget(subject)
		return
	}
	f.Seconds = seen.Seconds(subject, string(f.Fault.Kind))
}

// FaultVerdict returns the verdict of a check whose facts could not be read: Stuck if the fault is
// permanent and has lasted for observe.StartupSeconds, otherwise Waiting.
func (f APIFault) FaultVerdict(check string) health.Verdict {
	return f.Fault.Verdict(check, f.Seconds >= observe.StartupSeconds)
}

// FaultVerdicts returns FaultVerdict of the first check, and NotSeen of the others.
func (f APIFault) FaultVerdicts(first string, others ...string) []health.Verdict {
	return append([]health.Verdict{f.FaultVerdict(first)}, NotSeen(first, others...)...)
}

// NotSeen returns the verdicts of checks without facts. The check with the name after has the
// reason.
func NotSeen(after string, checks ...string) []health.Verdict {
	verdicts := make([]health.Verdict, 0, len(checks))
	for _, check := range checks {
		verdicts = append(verdicts, health.Verdict{Check: check, State: health.Waiting,
			Message: "not seen", After: []string{after}})
	}
	return verdicts
}

// ObserveOnce reads facts from the Cluster for a gate. If no API server answers, the facts have
// only their APIFault.
func ObserveOnce[F any, P embedsAPIFault[F]](
	ctx context.Context, c *Cluster, seen *observe.Stable,
	read func(context.Context, *APIServer) (F, error),
) F {
	var facts F
	fault := c.Read(ctx, func(ctx context.Context, s *APIServer) (err error) {
		facts, err = read(ctx, s)
		return err
	})
	if fault != nil {
		facts = *new(F)
		P(&facts).apiFault().Fault = fault
	}
	P(&facts).apiFault().SetSeconds(seen, "api")
	return facts
}
