package timeline

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// barWidth is the width of the whole run in characters.
const barWidth = 40

// WriteTable writes a table of the resources that took time, in the order of their starts, each
// with a bar. * marks the critical path. Then it writes the sums.
func WriteTable(out io.Writer, run Run) error {
	var text strings.Builder
	shown := slices.DeleteFunc(slices.Clone(run.Bars), func(b Bar) bool {
		return b.Duration() < run.Wall/500 && !b.Failed && !b.Open
	})
	for _, bar := range shown {
		mark := " "
		if bar.Critical {
			mark = "*"
		}
		fmt.Fprintf(&text, "%s %8s %8s  %-32s %-13s %s\n", mark,
			seconds(bar.Start.Sub(run.Bars[0].Start)), seconds(bar.Duration()),
			bar.Name, bar.Op+outcomeMark(bar), drawBar(bar, run))
	}
	if hidden := len(run.Bars) - len(shown); hidden > 0 {
		fmt.Fprintf(&text, "  %d more took next to no time\n", hidden)
	}
	if err := writeLayers(&text, run); err != nil {
		return err
	}
	fmt.Fprintf(&text, "\n%s\n* on the critical path\n", Totals(run))
	_, err := io.WriteString(out, text.String())
	return err
}

// writeLayers writes a table of the layers' sums.
func writeLayers(text io.Writer, run Run) error {
	table := tabwriter.NewWriter(text, 0, 0, 2, ' ', tabwriter.AlignRight)
	// Flush returns the error.
	_, _ = fmt.Fprintln(table, "\nlayer\tresources\twall\tof the path\tgates waited\tgate lag\tin a row\t")
	for _, l := range run.Layers {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t\n", LayerName(l.Name), l.Resources,
			seconds(l.Wall), seconds(l.Critical), seconds(l.Gates), lag(l.Lag), seconds(l.Serial))
	}
	return table.Flush()
}

// LayerName returns a layer's name; "(no layer)" for resources without one.
func LayerName(layer string) string {
	if layer == "" {
		return "(no layer)"
	}
	return layer
}

// Totals returns the sums of a run as text, with a second line if the run failed or was killed.
func Totals(run Run) string {
	text := fmt.Sprintf(
		"wall %s, critical path %s, ratio %s; gates waited %s, gate lag %s; in a row it would have been %s",
		seconds(run.Wall), seconds(run.Path), ratio(run.Ratio()), seconds(run.Gates), lag(run.Lag),
		seconds(run.Serial))
	switch {
	case !run.Complete:
		text += "\nthe run did not come to its end"
	case run.HasFailed():
		text += "\nthe run failed"
	}
	return text
}

// ratio formats the ratio of a run as text; a dash if it is zero.
func ratio(r float64) string {
	if r == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", r)
}

func outcomeMark(bar Bar) string {
	switch {
	case bar.Failed:
		return " failed"
	case bar.Open:
		return " cut off"
	}
	return ""
}

// drawBar returns spaces up to the bar's start, and then the bar. Gates have a lighter shade.
func drawBar(bar Bar, run Run) string {
	if run.Wall <= 0 {
		return ""
	}
	at := func(t time.Time) int {
		return int(
			int64(barWidth) * int64(t.Sub(run.Bars[0].Start)) / int64(run.Wall))
	}
	start, end := at(bar.Start), at(bar.End)
	shade := "█"
	if bar.Gate {
		shade = "░"
	}
	return strings.Repeat(" ", start) + strings.Repeat(shade, max(end-start, 1))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// lag formats a gate lag as text; a dash if it is nil.
func lag(d *time.Duration) string {
	if d == nil {
		return "–"
	}
	return fmt.Sprintf("%.2fs", d.Seconds())
}
