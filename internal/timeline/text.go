package timeline

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// barWidth is how many characters the longest bar has.
const barWidth = 40

// WriteTable writes the run as a table: what took time, in order, with bars; the critical path is marked with *.
func WriteTable(out io.Writer, run Run) error {
	var text strings.Builder
	shown := slices.DeleteFunc(slices.Clone(run.Bars), func(b Bar) bool { return b.Duration() < run.Wall/500 && !b.Failed && !b.Open })
	for _, bar := range shown {
		mark := " "
		if bar.Critical {
			mark = "*"
		}
		fmt.Fprintf(&text, "%s %8s %8s  %-32s %-13s %s\n", mark, seconds(bar.Start.Sub(run.Bars[0].Start)), seconds(bar.Duration()),
			bar.Name, bar.Op+ending(bar), drawn(bar, run))
	}
	if hidden := len(run.Bars) - len(shown); hidden > 0 {
		fmt.Fprintf(&text, "  %d more took next to no time\n", hidden)
	}
	fmt.Fprintf(&text, "\nwall %s, critical path (*) %s, ratio %.2f; gates waited %s; in a row it would have been %s\n",
		seconds(run.Wall), seconds(run.Path), run.Ratio(), seconds(run.Gates), seconds(run.Serial))
	if !run.Complete {
		text.WriteString("the run did not come to its end\n")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func ending(bar Bar) string {
	switch {
	case bar.Failed:
		return " failed"
	case bar.Open:
		return " cut off"
	}
	return ""
}

// drawn is the bar's place in the run; gates are drawn lighter than actions.
func drawn(bar Bar, run Run) string {
	if run.Wall <= 0 {
		return ""
	}
	at := func(t time.Time) int { return int(int64(barWidth) * int64(t.Sub(run.Bars[0].Start)) / int64(run.Wall)) }
	start, end := at(bar.Start), at(bar.End)
	shade := "█"
	if bar.Gate {
		shade = "░"
	}
	return strings.Repeat(" ", start) + strings.Repeat(shade, max(end-start, 1))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }
