package draw

import (
	"fmt"
	"strings"
	"time"

	"strata/cli/timeline"
)

// seconds formats a duration in seconds.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// nameOf returns the resource's name in a URN.
func nameOf(urn string) string { return urn[strings.LastIndex(urn, "::")+2:] }

// outcome returns how a bar ended: failed, cut off or done.
func outcome(bar timeline.Bar) string {
	switch {
	case bar.Failed:
		return "failed"
	case bar.Open:
		return "cut off"
	}
	return "done"
}

// lastDependency names the dependency that a bar waited for last. For a failed or interrupted bar
// without a known dependency it returns "not known", because the state lacks a failed create and
// its dependencies.
func lastDependency(bar timeline.Bar) string {
	switch {
	case bar.WaitedFor != "":
		return nameOf(bar.WaitedFor)
	case bar.Failed || bar.Open:
		return "not known"
	}
	return "nothing"
}

// reason explains the start time of a bar: the dependency that it waited for and the delay after
// that.
func reason(bar timeline.Bar) string {
	if bar.WaitedFor == "" && lastDependency(bar) == "not known" {
		return fmt.Sprintf("what it needs is not known: the state does not have it; began %s after the start",
			seconds(bar.Delay))
	}
	if bar.WaitedFor == "" {
		return fmt.Sprintf("needs nothing of this run; began %s after the start",
			seconds(bar.Delay))
	}
	return fmt.Sprintf("waited last for %s; began %s after it ended", nameOf(bar.WaitedFor),
		seconds(bar.Delay))
}

// hover returns the text that a bar shows on hover.
func hover(run timeline.Run, bar timeline.Bar) string {
	what := bar.Type
	if bar.Gate {
		what = strings.TrimSpace("gate " + bar.Kind)
	}
	from := bar.Start.Sub(run.Start)
	lines := []string{
		fmt.Sprintf("%s (%s): %s, %s, %s", bar.Name, what, bar.Op, outcome(bar),
			seconds(bar.Duration())),
		fmt.Sprintf("from %s to %s", seconds(from), seconds(from+bar.Duration())),
		reason(bar),
	}
	if bar.Critical {
		lines = append(lines, "on the critical path")
	}
	for _, message := range bar.Messages {
		lines = append(lines, "said: "+message)
	}
	if bar.Lag != nil {
		lines = append(lines, "gate lag: it ended "+seconds(*bar.Lag)+
			" after what decided was seen")
	}
	return strings.Join(lines, "\n")
}

// title returns the title of the picture: operation, stack and start.
func title(run timeline.Run) string {
	return fmt.Sprintf("%s of %s, %s", run.Operation, run.Stack,
		run.Start.UTC().Format("2006-01-02 15:04 UTC"))
}
