package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"strata/tests/bench"
	"strata/tests/bench/svg"
)

// scale is a logarithmic axis. It maps the values low to high to the positions from to to.
type scale struct{ low, high, from, to float64 }

func (s scale) at(value float64) float64 {
	if s.high <= s.low || value <= 0 {
		return s.from
	}
	return s.from + (s.to-s.from)*math.Log10(value/s.low)/math.Log10(s.high/s.low)
}

// ticks returns the powers of ten on the axis.
func (s scale) ticks() []float64 {
	var ticks []float64
	for power := math.Round(math.Log10(s.low)); power <= math.Log10(s.high)+1e-9; power++ {
		ticks = append(ticks, math.Pow(10, power))
	}
	return ticks
}

// decades returns the axis with the fewest whole powers of ten that contains the values.
func decades(values []float64, from, to float64) scale {
	low := math.Floor(math.Log10(slices.Min(values)))
	high := math.Ceil(math.Log10(slices.Max(values)))
	return scale{math.Pow(10, low), math.Pow(10, max(high, low+1)), from, to}
}

const curvesHeight = 360.0

// curves draws times against a quantity, whose name is of, on two logarithmic axes. The points must
// be sorted by the quantity.
func curves(of string, points []bench.Result) *svg.Element {
	byName := map[string][]bench.Result{}
	var names []string
	var xs, ys []float64
	for _, r := range points {
		if byName[r.Point.Curve] == nil {
			names = append(names, r.Point.Curve)
		}
		byName[r.Point.Curve] = append(byName[r.Point.Curve], r)
		xs, ys = append(xs, r.Point.X), append(ys, r.Value)
	}
	plot := canvas("Time by the number of "+of,
		"Seconds up, "+of+" to the right, both logarithmic.",
		curvesHeight+48+14*float64(len(names)))
	if len(points) == 0 {
		return plot
	}
	right, up := decades(xs, 80, plotRight), decades(ys, curvesHeight, plotTop+10)
	plot.Add(grid(right, up))
	for i, name := range names {
		plot.Add(curve(i, meanings[name], byName[name], right, up))
	}
	return plot
}

func grid(right, up scale) *svg.Element {
	g := svg.New("g", "class", "axes")
	for _, tick := range right.ticks() {
		x := svg.Num(right.at(tick))
		g.Add(svg.New("line", "class", "grid", "x1", x, "x2", x, "y1", svg.Num(up.from), "y2",
			svg.Num(up.to)),
			svg.New("text", "x", x, "y", svg.Num(up.from+16), "text-anchor", "middle").
				WithText(fmt.Sprintf("%g", tick)))
	}
	for _, tick := range up.ticks() {
		y := up.at(tick)
		g.Add(svg.New("line", "class", "grid", "x1", svg.Num(right.from), "x2",
			svg.Num(right.to), "y1",
			svg.Num(y), "y2", svg.Num(y)),
			svg.New("text", "x", svg.Num(right.from-8), "y", svg.Num(y+4), "text-anchor", "end").
				WithText(fmt.Sprintf("%g s", tick)))
	}
	return g
}

// curve draws one curve: a line with its own dashes, its points, and a legend with its last value
// below the axis.
func curve(i int, meaning string, points []bench.Result, right, up scale) *svg.Element {
	class := fmt.Sprintf("curve c%d", i%3)
	var d []string
	g := svg.New("g", "class", "series").Add(svg.New("title").WithText(meaning))
	for j, r := range points {
		x, y := right.at(r.Point.X), up.at(r.Value)
		d = append(d, map[bool]string{true: "M", false: "L"}[j == 0]+svg.Num(x)+" "+svg.Num(y))
		g.Add(svg.New("circle", "class", "point", "cx", svg.Num(x), "cy", svg.Num(y), "r", "3").
			Add(svg.New("title").
				WithText(fmt.Sprintf("%s, %g %s: %s", meaning, r.Point.X, r.Point.Of,
					written(r.Value, r.Unit)))))
	}
	y := svg.Num(curvesHeight + 34 + 14*float64(i))
	last := points[len(points)-1]
	return g.Add(
		svg.New("path", "class", class, "d", strings.Join(d, " ")),
		svg.New("path", "class", class, "d", "M80 "+y+" L120 "+y),
		svg.New("text", "x", "128", "y", svg.Num(curvesHeight+38+14*float64(i))).
			// The legend has the value, because labels beside the points could overlap.
			WithText(fmt.Sprintf("%s: %s at %g", meaning, written(last.Value, last.Unit),
				last.Point.X)),
	)
}
