package timeline

import (
	"slices"
	"time"
)

// connect sets Needs of each bar. In a destroy (reversed), a resource waits for its dependents.
func (r *Run) connect(graph map[string][]string, reversed bool) {
	index := r.index()
	for urn, needs := range graph {
		for _, need := range needs {
			from, to := urn, need
			if reversed {
				from, to = need, urn
			}
			i, there := index[from]
			if _, known := index[to]; there && known && from != to &&
				!slices.Contains(r.Bars[i].Needs, to) {
				r.Bars[i].Needs = append(r.Bars[i].Needs, to)
			}
		}
	}
	for i := range r.Bars {
		slices.Sort(r.Bars[i].Needs)
	}
}

func (r *Run) index() map[string]int {
	index := map[string]int{}
	for i, bar := range r.Bars {
		index[bar.URN] = i
	}
	return index
}

// measure computes what each bar waited for, the critical path and the sums.
func (r *Run) measure() {
	if len(r.Bars) == 0 {
		return
	}
	r.Start = r.Bars[0].Start
	index := r.index()
	for i := range r.Bars {
		r.Bars[i].blame(r.Start, index, r.Bars)
	}
	r.mark(index)
	r.layers()
	r.total()
}

// blame sets the bar's WaitedFor and Delay. start is the run's start.
func (b *Bar) blame(start time.Time, index map[string]int, bars []Bar) {
	free := start
	for _, need := range b.Needs {
		if end := bars[index[need]].End; b.WaitedFor == "" || end.After(free) {
			b.WaitedFor, free = need, end
		}
	}
	// In a destroy, the engine does not wait for dependents that are deleted together with another
	// resource, so a bar may start before they finish.
	b.Delay = max(b.Start.Sub(free), 0)
}

// mark finds the critical path, which is the longest chain of bars that depend on each other, and
// marks its bars.
func (r *Run) mark(index map[string]int) {
	longest, before := make([]time.Duration, len(r.Bars)), make([]int, len(r.Bars))
	done := make([]bool, len(r.Bars))
	var visit func(i int) time.Duration
	visit = func(i int) time.Duration {
		if done[i] {
			return longest[i]
		}
		done[i], before[i] = true, -1 // breaks a cycle, which the engine never makes
		var chain time.Duration
		for _, need := range r.Bars[i].Needs {
			if length := visit(index[need]); length > chain || before[i] < 0 {
				chain, before[i] = length, index[need]
			}
		}
		longest[i] = chain + r.Bars[i].Duration()
		return longest[i]
	}
	end := 0
	for i := range r.Bars {
		if visit(i) > longest[end] {
			end = i
		}
	}
	r.Path = longest[end]
	for i := end; i >= 0 && !r.Bars[i].Critical; i = before[i] {
		r.Bars[i].Critical = true
	}
}
