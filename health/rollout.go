package health

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// rolloutFacts are the workloads, or why they cannot be read.
type rolloutFacts struct {
	Fault *fault `json:"fault,omitempty"`
	// Seconds is for how long the fault has looked the same.
	Seconds   int             `json:"seconds,omitempty"`
	Workloads []workloadFacts `json:"workloads,omitempty"`
}

// judgeRollout says for each workload whether its newest revision serves and no older one is left. What a layer answers proves
// only that some revision works: after an upgrade to an image that does not exist the previous one goes on answering.
func judgeRollout(f rolloutFacts) []Verdict {
	if f.Fault != nil {
		return []Verdict{f.Fault.verdict("api", f.Seconds >= noticeSeconds)}
	}
	verdicts := make([]Verdict, 0, len(f.Workloads))
	for _, workload := range f.Workloads {
		v := judgeWorkload(workload)
		if v.State == Ready && workload.Desired == 0 {
			// Nothing rolled out is not rolled out; whoever wants none of it leaves it out of the gate.
			v.State, v.Hint = Waiting, fmt.Sprintf("kubectl -n %s scale %s %s --replicas=1", workload.Namespace, workload.Kind, workload.Name)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

type rolloutWatch struct {
	cluster   *cluster
	workloads []workloadRef
	settled   *settled
}

func newRollout(spec Spec, secrets Secrets) (Watch, error) {
	if spec.Rollout == nil || len(spec.Rollout.Workloads) == 0 {
		return nil, errors.New("spec: rollout: workloads: empty; nothing is not a rollout")
	}
	w := &rolloutWatch{settled: newSettled(time.Now)}
	for _, text := range spec.Rollout.Workloads {
		ref, err := parseWorkload(text)
		if err != nil {
			return nil, err
		}
		w.workloads = append(w.workloads, ref)
	}
	var err error
	w.cluster, err = newClusterOf(spec, secrets)
	return w, err
}

// Run implements Watch.
func (w *rolloutWatch) Run(ctx context.Context, report func([]Verdict)) error {
	var sources []source
	for _, ref := range w.workloads {
		sources = append(sources, ref.sources()...)
	}
	w.cluster.observe(ctx, sources, func(ctx context.Context) []Verdict { return judgeRollout(w.look(ctx)) }, report)
	return nil
}

func (w *rolloutWatch) look(ctx context.Context) rolloutFacts {
	var facts rolloutFacts
	fault, seconds := w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) (err error) {
		facts.Workloads, err = lookWorkloads(ctx, s, w.workloads, w.settled)
		return err
	})
	if fault != nil {
		return rolloutFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}
