package timeline

import (
	"slices"
	"time"
)

// connect gives each bar the bars that it waited for. A destroy waits the other way round: what depends on a resource goes first.
func (r *Run) connect(graph map[string][]string, reversed bool) {
	index := map[string]int{}
	for i, bar := range r.Bars {
		index[bar.URN] = i
	}
	for urn, needs := range graph {
		for _, need := range needs {
			from, to := urn, need
			if reversed {
				from, to = need, urn
			}
			i, there := index[from]
			if _, known := index[to]; there && known && from != to && !slices.Contains(r.Bars[i].Needs, to) {
				r.Bars[i].Needs = append(r.Bars[i].Needs, to)
			}
		}
	}
	for i := range r.Bars {
		slices.Sort(r.Bars[i].Needs)
	}
}

// measure computes the sums, and marks the critical path: the chain of bars that need each other and are longest together.
func (r *Run) measure() {
	if len(r.Bars) == 0 {
		return
	}
	index := map[string]int{}
	first, last := r.Bars[0].Start, r.Bars[0].End
	for i, bar := range r.Bars {
		index[bar.URN] = i
		r.Serial += bar.Duration()
		if bar.Gate {
			r.Gates += bar.Duration()
		}
		if bar.End.After(last) {
			last = bar.End
		}
	}
	r.Wall = last.Sub(first)
	longest, before := make([]time.Duration, len(r.Bars)), make([]int, len(r.Bars))
	done := make([]bool, len(r.Bars))
	var visit func(i int) time.Duration
	visit = func(i int) time.Duration {
		if done[i] {
			return longest[i]
		}
		done[i], before[i] = true, -1 // a cycle, which the engine would not make, ends here
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
	for i := end; i >= 0; i = before[i] {
		r.Bars[i].Critical = true
	}
}
