package page

import (
	"fmt"
	"math"
	"slices"

	"strata/tests/bench"
	"strata/tests/bench/svg"
)

// These are positions and lengths in every plot, in user units.
const (
	width     = 900.0
	plotLeft  = 260.0
	plotRight = width - 90
	plotTop   = 60.0
)

// sheet is the style sheet of every plot.
var sheet = slices.Concat(svg.Common, svg.Sheet{
	svg.Draw(".met", "fill", "--blue", "stroke", "--ink", "stroke-width", ".6"),
	svg.Draw(".missed", "fill", "--red", "stroke", "--ink", "stroke-width", ".6",
		"stroke-dasharray", "3 2"),
	svg.Draw(".line", "stroke", "--ink", "stroke-width", "1.5"),
	svg.Draw(".curve", "fill", "none", "stroke-width", "2"),
	svg.Draw(".c0", "stroke", "--blue"),
	svg.Draw(".c1", "stroke", "--orange", "stroke-dasharray", "7 3"),
	svg.Draw(".c2", "stroke", "--green", "stroke-dasharray", "2 3"),
	svg.Draw(".point", "fill", "--ink"),
})

// canvas returns an empty plot.
func canvas(title, about string, height float64) *svg.Element {
	return svg.New("svg", "xmlns", svg.Namespace, "viewBox",
		"0 0 "+svg.Num(width)+" "+svg.Num(height),
		"width", svg.Num(width),
		"height", svg.Num(height), "role", "img", "aria-labelledby", "title about").Add(
		svg.New("title", "id", "title").WithText(title),
		svg.New("desc", "id", "about").WithText(about),
		svg.New("rect", "class", "paper", "width", "100%", "height", "100%"),
		svg.New("text", "class", "title", "x", "16", "y", "24").WithText(title),
		svg.New("text", "x", "16", "y", "42").WithText(about),
	)
}

// farthest replaces the infinite strain of a value of zero whose target is a lower bound. Its
// inverse replaces the strain 0 of a value of zero whose target is an upper bound.
const farthest = 1000.0

// strain returns a result's value divided by its target, or the inverse if larger is better. A
// strain above 1 means that the target is missed. If the target is zero, the strain is 1 for the
// value zero, and 10 for any other.
func strain(r bench.Result) float64 {
	switch {
	case r.AtLeast:
		return min(*r.Target/r.Value, farthest)
	case *r.Target > 0:
		return max(r.Value / *r.Target, 1/farthest)
	case r.Value > 0:
		return 10
	}
	return 1
}

// targets draws the strain of each result with a target, on a logarithmic axis.
func targets(results []bench.Result) *svg.Element {
	low, high := 0.1, 10.0
	for _, r := range results {
		low, high = min(low, strain(r)), max(high, strain(r))
	}
	axis := scale{math.Pow(10, math.Floor(math.Log10(low))),
		math.Pow(10, math.Ceil(math.Log10(high))),
		plotLeft, plotRight}
	const row = 22.0
	bottom := plotTop + 20 + row*float64(len(results))
	plot := canvas("Each number by its target",
		"Left of the line is met; a bar with a dashed outline and a cross has missed it.",
		bottom+16)
	for _, tick := range axis.ticks() {
		x := svg.Num(axis.at(tick))
		plot.Add(svg.New("line", "class", "grid", "x1", x, "x2", x, "y1", svg.Num(plotTop+14), "y2",
			svg.Num(bottom)),
			svg.New("text", "x", x, "y", svg.Num(plotTop+8), "text-anchor", "middle").
				WithText(fmt.Sprintf("%g×", tick)))
	}
	for i, r := range results {
		plot.Add(strainBar(r, axis, plotTop+20+row*float64(i)))
	}
	one := svg.Num(axis.at(1))
	return plot.Add(
		svg.New("line", "class", "line", "x1", one, "x2", one, "y1", svg.Num(plotTop+14), "y2",
			svg.Num(bottom)))
}

func strainBar(r bench.Result, axis scale, y float64) *svg.Element {
	to := axis.at(strain(r))
	class, mark := "met", ""
	if !r.Met() {
		class, mark = "missed", " ✕"
	}
	return svg.New("g", "class", "bar").Add(
		svg.New("title").WithText(fmt.Sprintf("%s: %s, target %s", r.Name, written(r.Value, r.Unit),
			promise(r))),
		svg.New("text", "x", svg.Num(plotLeft-10), "y", svg.Num(y+11), "text-anchor",
			"end").WithText(r.Name),
		svg.New("rect", "class", class, "x", svg.Num(plotLeft), "y", svg.Num(y), "width",
			svg.Num(max(to-plotLeft, 1)), "height", "14"),
		svg.New("text", "x", svg.Num(max(to, axis.at(1))+8), "y", svg.Num(y+11)).
			WithText(written(r.Value, r.Unit)+mark),
	)
}
