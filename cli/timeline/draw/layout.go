package draw

import (
	"math"
	"time"

	"strata/cli/timeline"
)

// Lengths, in user units; at a width of 1200 a unit is about a pixel.
const (
	width      = 1200.0
	chartLeft  = 270.0
	chartRight = width - 24
	headHeight = 84.0
	rowHeight  = 15.0
	barHeight  = 10.0
	// groupGap is the room for a layer's heading.
	groupGap = 30.0
	// narrowest is the width of a bar that took no time: it is still to be seen.
	narrowest = 1.5
)

// layout says where everything of a run goes.
type layout struct {
	run timeline.Run
	// groups are the layers with their bars, in the order in which they began.
	groups []group
	// at has each bar's row, by URN.
	at     map[string]row
	height float64
}

type group struct {
	layer timeline.Layer
	top   float64
	rows  []row
}

type row struct {
	bar timeline.Bar
	top float64
}

// middle is the height at which a row's bar is centred.
func (r row) middle() float64 { return r.top + rowHeight/2 }

func newLayout(run timeline.Run) layout {
	l := layout{run: run, at: map[string]row{}}
	y := headHeight
	for _, layer := range run.Layers {
		g := group{layer: layer, top: y}
		y += groupGap
		for _, bar := range run.Share(layer.Name) {
			r := row{bar: bar, top: y}
			g.rows = append(g.rows, r)
			l.at[bar.URN] = r
			y += rowHeight
		}
		l.groups = append(l.groups, g)
	}
	l.height = y + rowHeight
	return l
}

// x returns the position of a time.
func (l layout) x(at time.Time) float64 {
	if l.run.Wall <= 0 {
		return chartLeft
	}
	return chartLeft + (chartRight-chartLeft)*at.Sub(l.run.Start).Seconds()/l.run.Wall.Seconds()
}

// ticks are the times at which the axis has a mark: eight or so, at a round distance.
func (l layout) ticks() []time.Duration {
	wall := l.run.Wall.Seconds()
	if wall <= 0 {
		return []time.Duration{0}
	}
	rough := wall / 8
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if factor*step >= rough {
			step *= factor
			break
		}
	}
	var ticks []time.Duration
	for i := 0; float64(i)*step <= wall; i++ {
		ticks = append(ticks, time.Duration(float64(i)*step*float64(time.Second)))
	}
	return ticks
}
