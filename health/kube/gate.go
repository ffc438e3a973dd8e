package kube

import (
	"context"

	"strata/health"
	"strata/health/observe"
)

// Watch observes objects of a cluster for one gate, whenever one of them changes and at an
// interval. F is the type of the facts of the gate's kind.
type Watch[F any] struct {
	Cluster *Cluster
	// Stable remembers how long the API has failed in the same way.
	Stable *observe.Stable
	// Sources are the objects to watch.
	Sources []Source
	// Read reads the facts from one API server.
	Read func(context.Context, *APIServer) (F, error)
	// Failed returns the facts if Read fails. It gets the fault and the number of seconds for which
	// the fault has lasted.
	Failed func(*Fault, int) F
	Judge  func(F) []health.Verdict
}

// Run implements health.Watch.
func (w *Watch[F]) Run(ctx context.Context, report func([]health.Verdict)) error {
	w.Cluster.Observe(ctx, w.Sources, w.observe, report)
	return nil
}

func (w *Watch[F]) observe(ctx context.Context) []health.Verdict {
	var facts F
	fault, seconds := w.Cluster.ObserveOnce(ctx, w.Stable,
		func(ctx context.Context, s *APIServer) (err error) {
			facts, err = w.Read(ctx, s)
			return err
		})
	if fault != nil {
		facts = w.Failed(fault, seconds)
	}
	return w.Judge(facts)
}
