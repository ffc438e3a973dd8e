package timeline

import "time"

// Layer holds the sums of the durations of one layer's bars.
type Layer struct {
	// Name is the layer's name; empty for resources without a layer.
	Name string `json:"name"`
	// Resources is the number of the layer's bars.
	Resources int `json:"resources"`
	// Start is the first bar's start and End the last bar's end. Wall is the time from Start to
	// End; bars of other layers may run in that time, too.
	Start time.Time     `json:"start"`
	End   time.Time     `json:"end"`
	Wall  time.Duration `json:"wall"`
	// Critical is the sum of the durations of the layer's bars that are on the run's critical path.
	Critical time.Duration `json:"criticalPath"`
	// Gates, Serial and Lag are the sums of Run with the same names, over the layer's bars only.
	// Lag is nil if the recording has none.
	Gates  time.Duration  `json:"gates"`
	Serial time.Duration  `json:"serial"`
	Lag    *time.Duration `json:"lag,omitempty"`
}

// Share returns the bars of a layer, ordered by start.
func (r Run) Share(layer string) []Bar {
	var share []Bar
	for _, bar := range r.Bars {
		if bar.Layer == layer {
			share = append(share, bar)
		}
	}
	return share
}

// layers computes the sums of each layer. The bars must be sorted by their start.
func (r *Run) layers() {
	index := map[string]int{}
	for _, bar := range r.Bars {
		i, known := index[bar.Layer]
		if !known {
			i = len(r.Layers)
			index[bar.Layer] = i
			r.Layers = append(r.Layers, Layer{Name: bar.Layer, Start: bar.Start})
		}
		r.Layers[i].add(bar)
	}
}

func (l *Layer) add(bar Bar) {
	l.Resources++
	if bar.End.After(l.End) {
		l.End = bar.End
	}
	l.Wall = l.End.Sub(l.Start)
	l.Serial += bar.Duration()
	if bar.IsObserved() {
		l.Gates += bar.Duration()
	}
	if bar.Critical {
		l.Critical += bar.Duration()
	}
	l.Lag = plus(l.Lag, bar.Lag)
}

// plus adds two durations. It ignores nil, and returns nil if both are nil.
func plus(a, b *time.Duration) *time.Duration {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	sum := *a + *b
	return &sum
}

// total computes the run's sums from those of its layers.
func (r *Run) total() {
	for _, layer := range r.Layers {
		r.Serial += layer.Serial
		r.Gates += layer.Gates
		r.Lag = plus(r.Lag, layer.Lag)
		if layer.End.After(r.End) {
			r.End = layer.End
		}
	}
	r.Wall = r.End.Sub(r.Start)
}
