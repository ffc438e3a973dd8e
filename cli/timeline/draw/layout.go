package draw

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"strata/cli/timeline"
)

// These are lengths in SVG user units; at a width of 1200, a unit is about a pixel. Lengths that
// only one element uses are in the template.
const (
	width      = 1200.0
	chartLeft  = 270.0
	chartRight = width - 24
	headHeight = 84.0
	rowHeight  = 15.0
	// groupGap is the height of a layer's heading.
	groupGap = 30.0
	// narrowest is the least width of a bar, so that a bar that took no time is visible.
	narrowest = 1.5
)

// layout holds the positions of all parts of the picture.
type layout struct {
	Run           timeline.Run
	Title, Totals string
	Height        float64
	Samples       []sample
	// Groups are the layers with their bars, ordered by start.
	Groups []group
	// at holds each bar's row, by URN.
	at map[string]row
}

// sample is a bar of the legend.
type sample struct {
	Name string
	row
}

type group struct {
	timeline.Layer
	Text     string
	Top      float64
	From, To float64
	Rows     []row
}

// Width returns the width of the layer's bar on the time axis.
func (g group) Width() float64 { return g.To - g.From }

// row is the position of a bar.
type row struct {
	timeline.Bar
	Hover            string
	Top              float64
	Since, From, To  float64
	LagFrom, LagTime float64
}

// Middle returns the y coordinate of the bar's centre.
func (r row) Middle() float64 { return r.Top + rowHeight/2 }

// Width returns the width of the bar.
func (r row) Width() float64 { return r.To - r.From }

func newLayout(run timeline.Run) layout {
	l := layout{Run: run, Title: title(run),
		Totals: strings.ReplaceAll(timeline.Totals(run), "\n", "; "), Samples: samples(),
		at: map[string]row{}}
	y := headHeight
	for _, layer := range run.Layers {
		g := group{Layer: layer, Top: y, From: l.x(layer.Start),
			Text: fmt.Sprintf("%s in %s, in a row %s, gates waited %s",
				timeline.LayerName(layer.Name), seconds(layer.Wall), seconds(layer.Serial),
				seconds(layer.Gates))}
		g.To = max(l.x(layer.End), g.From+narrowest)
		y += groupGap
		for _, bar := range run.Share(layer.Name) {
			r := l.row(bar, y)
			g.Rows = append(g.Rows, r)
			l.at[bar.URN] = r
			y += rowHeight
		}
		l.Groups = append(l.Groups, g)
	}
	l.Height = y + rowHeight
	return l
}

func (l layout) row(bar timeline.Bar, top float64) row {
	r := row{Bar: bar, Hover: hover(l.Run, bar), Top: top, Since: l.x(bar.Start.Add(-bar.Delay)),
		From: l.x(bar.Start)}
	r.To = max(l.x(bar.End), r.From+narrowest)
	if bar.Lag != nil {
		r.LagFrom = max(l.x(bar.End.Add(-*bar.Lag)), r.From)
		r.LagTime = r.To - r.LagFrom
	}
	return r
}

// samples returns the legend's bars.
func samples() []sample {
	all := []sample{
		{Name: "resource"},
		{Name: "gate", row: row{Bar: timeline.Bar{Gate: true}}},
		{Name: "failed", row: row{Bar: timeline.Bar{Failed: true}}},
		{Name: "cut off", row: row{Bar: timeline.Bar{Open: true}}},
		{Name: "on the critical path", row: row{Bar: timeline.Bar{Critical: true}}},
		{Name: "gate lag: seen, and not yet over",
			row: row{Bar: timeline.Bar{Gate: true, Lag: new(time.Duration)}}},
	}
	x := 16.0
	for i := range all {
		r := &all[i].row
		r.Top, r.From, r.To, r.LagFrom, r.LagTime = 49.5, x, x+28, x, 28
		x += 60 + 6.2*float64(len(all[i].Name))
	}
	return all
}

// x returns the x coordinate of a time.
func (l layout) x(at time.Time) float64 {
	if l.Run.Wall <= 0 {
		return chartLeft
	}
	return chartLeft + (chartRight-chartLeft)*at.Sub(l.Run.Start).Seconds()/l.Run.Wall.Seconds()
}

// Ticks returns the labels of the time axis, by x coordinate.
func (l layout) Ticks() map[float64]string {
	labels := map[float64]string{}
	for _, tick := range l.ticks() {
		labels[l.x(l.Run.Start.Add(tick))] = tick.Round(time.Millisecond).String()
	}
	return labels
}

// ticks returns about eight times at round intervals.
func (l layout) ticks() []time.Duration {
	wall := l.Run.Wall.Seconds()
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

// Path returns the points of the line that connects the bars of the critical path.
func (l layout) Path() string {
	critical := slices.DeleteFunc(slices.Clone(l.Run.Bars),
		func(b timeline.Bar) bool { return !b.Critical })
	var points []string
	for _, bar := range critical {
		r := l.at[bar.URN]
		for _, x := range []float64{l.x(bar.Start), l.x(bar.End)} {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, r.Middle()))
		}
	}
	return strings.Join(points, " ")
}
