package draw

import (
	"io"
	"slices"
	"strings"
	"time"

	"strata/cli/timeline"
	"strata/internal/text/svg"
)

// WriteSVG draws a run. The picture stands alone; each bar says on hover why it waited.
func WriteSVG(out io.Writer, run timeline.Run) error { return picture(run).Write(out) }

func picture(run timeline.Run) *svg.Element {
	l := newLayout(run)
	totals := strings.ReplaceAll(timeline.Totals(run), "\n", "; ")
	root := svg.New("svg", "xmlns", svg.Namespace, "viewBox", "0 0 "+svg.Num(width)+" "+svg.Num(l.height), "width", svg.Num(width),
		"height", svg.Num(l.height), "role", "graphics-document", "aria-roledescription", "timeline", "aria-labelledby", "timeline-title timeline-totals")
	root.Add(
		svg.New("title", "id", "timeline-title").WithText(title(run)),
		svg.New("desc", "id", "timeline-totals").WithText(totals),
		patterns(),
		svg.New("rect", "class", "paper", "width", "100%", "height", "100%"),
		svg.New("text", "class", "title", "x", "16", "y", "24").WithText(title(run)),
		svg.New("text", "x", "16", "y", "42").WithText(totals),
		legend(),
		l.axis(),
	)
	for _, g := range l.groups {
		root.Add(l.drawGroup(g))
	}
	return sheet.Dress(root.Add(l.path()))
}

// patterns fill gates and failures, so that neither needs its colour.
func patterns() *svg.Element {
	pattern := func(id, fill string, lines ...string) *svg.Element {
		p := svg.New("pattern", "id", id, "width", "6", "height", "6", "patternUnits", "userSpaceOnUse").
			Add(svg.New("rect", "class", fill, "width", "6", "height", "6"))
		for _, line := range lines {
			p.Add(svg.New("path", "class", "hatch-line", "d", line))
		}
		return p
	}
	return svg.New("defs").Add(
		pattern("hatched", "hatch-gate", "M0 6 L6 0"),
		pattern("crossed", "hatch-failed", "M0 6 L6 0", "M0 0 L6 6"),
	)
}

// legend shows each class with its name.
func legend() *svg.Element {
	element := svg.New("g", "class", "legend")
	x := 16.0
	for _, sample := range []struct {
		name string
		bar  timeline.Bar
	}{
		{"resource", timeline.Bar{}},
		{"gate", timeline.Bar{Gate: true}},
		{"failed", timeline.Bar{Failed: true}},
		{"cut off", timeline.Bar{Open: true}},
		{"on the critical path", timeline.Bar{Critical: true}},
	} {
		element.Add(svg.New("rect", "class", classOf(sample.bar), "x", svg.Num(x), "y", "52", "width", "28", "height", svg.Num(barHeight)))
		element.Add(marks(sample.bar, x, x+28, 52+barHeight/2)...)
		element.Add(svg.New("text", "x", svg.Num(x+42), "y", "61").WithText(sample.name))
		x += 60 + 6.2*float64(len(sample.name))
	}
	return element.Add(
		svg.New("rect", "class", "lag", "x", svg.Num(x), "y", "57", "width", "28", "height", "3"),
		svg.New("text", "x", svg.Num(x+34), "y", "61").WithText("gate lag: seen, and not yet over"),
	)
}

// axis is the grid with the seconds since the start.
func (l layout) axis() *svg.Element {
	element := svg.New("g", "class", "axis", "aria-hidden", "true")
	for _, tick := range l.ticks() {
		x := svg.Num(l.x(l.run.Start.Add(tick)))
		element.Add(
			svg.New("line", "class", "grid", "x1", x, "x2", x, "y1", svg.Num(headHeight), "y2", svg.Num(l.height)),
			svg.New("text", "x", x, "y", svg.Num(headHeight-4), "text-anchor", "middle").WithText(tick.Round(time.Millisecond).String()),
		)
	}
	return element
}

// path is the line from bar to bar along the critical path.
func (l layout) path() *svg.Element {
	critical := slices.DeleteFunc(slices.Clone(l.run.Bars), func(b timeline.Bar) bool { return !b.Critical })
	if len(critical) < 2 {
		return nil
	}
	var d strings.Builder
	for i, bar := range critical {
		move := "L"
		if i == 0 {
			move = "M"
		}
		y := svg.Num(l.at[bar.URN].middle())
		d.WriteString(move + svg.Num(l.x(bar.Start)) + " " + y + " L" + svg.Num(l.x(bar.End)) + " " + y + " ")
	}
	return svg.New("path", "class", "path", "aria-hidden", "true", "d", strings.TrimSpace(d.String()))
}
