package draw

import (
	"fmt"

	"strata/cli/timeline"
	"strata/internal/text/svg"
)

// half is half the size of a mark.
const half = 4.0

// drawGroup draws a layer: its heading, its part of the time, and its bars.
func (l layout) drawGroup(g group) *svg.Element {
	name := timeline.Named(g.layer.Name)
	from, to := l.x(g.layer.Start), l.x(g.layer.End)
	text := fmt.Sprintf("%s in %s, in a row %s, gates waited %s", name, seconds(g.layer.Wall), seconds(g.layer.Serial), seconds(g.layer.Gates))
	element := svg.New("g", "role", "list", "class", "layer", "aria-label", text).Add(
		svg.New("text", "class", "heading", "x", svg.Num(chartLeft-14), "y", svg.Num(g.top+groupGap-8), "text-anchor", "end").WithText(name),
		svg.New("rect", "class", "span", "x", svg.Num(from), "y", svg.Num(g.top+groupGap-13), "width", svg.Num(max(to-from, narrowest)), "height", "6").
			Add(svg.New("title").WithText(text)),
	)
	for _, r := range g.rows {
		element.Add(l.drawBar(r))
	}
	return element
}

// drawBar draws a resource: its name, what it waited for without a reason, its bar and its marks.
func (l layout) drawBar(r row) *svg.Element {
	bar := r.bar
	from, to := l.x(bar.Start), l.x(bar.End)
	to = max(to, from+narrowest)
	label := svg.New("text", "x", svg.Num(chartLeft-14), "y", svg.Num(r.middle()+4), "text-anchor", "end").WithText(bar.Name)
	if bar.Critical {
		label.Attrs = append(label.Attrs, svg.New("", "class", "onpath").Attrs...)
	}
	element := svg.New("g", "role", "listitem", "class", "bar").Add(
		svg.New("title").WithText(hover(l.run, bar)),
		// The whole row answers the pointer, not only a bar that may be a hair wide.
		svg.New("rect", "class", "pointed", "x", "0", "y", svg.Num(r.top), "width", svg.Num(width), "height", svg.Num(rowHeight)),
		label,
		svg.New("line", "class", "wait", "x1", svg.Num(l.x(bar.Start.Add(-bar.Delay))), "x2", svg.Num(from), "y1", svg.Num(r.middle()), "y2", svg.Num(r.middle())),
		svg.New("rect", "class", classOf(bar), "x", svg.Num(from), "y", svg.Num(r.middle()-barHeight/2), "width", svg.Num(to-from), "height", svg.Num(barHeight)),
	)
	if bar.Lag != nil {
		since := max(l.x(bar.End.Add(-*bar.Lag)), from)
		element.Add(svg.New("rect", "class", "lag", "x", svg.Num(since), "y", svg.Num(r.middle()+barHeight/2-3), "width", svg.Num(to-since), "height", "3"))
	}
	return element.Add(marks(bar, from, to, r.middle())...)
}

// classOf is a bar's classes.
func classOf(bar timeline.Bar) string {
	class := "action"
	switch {
	case bar.Failed:
		class = "failed"
	case bar.Gate:
		class = "gate"
	}
	if bar.Open {
		class += " open"
	}
	if bar.Critical {
		class += " critical"
	}
	return class
}

// marks say by their form what the colours say: a diamond ends a gate, a cross a failure, an arrow
// goes on where a bar was cut off, and a triangle points at the critical path.
func marks(bar timeline.Bar, from, to, y float64) []*svg.Element {
	var list []*svg.Element
	if bar.Critical {
		list = append(list, shape("mark", "M%.1f %.1f l5 4 l-5 4 z", from-8, y-half))
	}
	switch {
	case bar.Failed:
		list = append(list, shape("path", "M%.1f %.1f l8 8 m0 -8 l-8 8", to+2, y-half))
	case bar.Open:
		list = append(list, shape("path", "M%.1f %.1f l5 4 l-5 4", to+2, y-half))
	case bar.Gate:
		list = append(list, shape("mark", "M%.1f %.1f l4 4 l-4 4 l-4 -4 z", to+half, y-half))
	}
	return list
}

func shape(class, path string, at ...any) *svg.Element {
	return svg.New("path", "class", class, "d", fmt.Sprintf(path, at...))
}
