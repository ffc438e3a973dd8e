package health

import (
	"fmt"
	"io"
	"strings"
)

// evidenceLines is the largest number of lines shown of each piece of evidence: the newest lines.
const evidenceLines = 20

// WriteReport writes a gate's Report to out.
func WriteReport(out io.Writer, r Result) error {
	_, err := io.WriteString(out, r.Report())
	return err
}

// Report returns the report on a gate's end. If the gate opened, the report is one line and the
// remarks. Otherwise it lists every failing check with its expected and found state, cause,
// evidence and fix. It also says whether the gate is stuck or timed out: only after a timeout,
// waiting may help.
func (r Result) Report() string {
	var text strings.Builder
	failing, hidden := Split(r.Checks)
	if r.Passes() {
		fmt.Fprintf(&text, "%s: %s after %s\n", r.Gate, strings.ToLower(string(r.State)),
			r.Elapsed.Duration)
		r.remarks(&text)
		return text.String()
	}
	fmt.Fprintf(&text, "layer %s, gate %s: %s: %d of %d checks not ready\n",
		r.Layer, r.Gate, r.describeEnding(), len(failing)+hidden, len(r.Checks))
	for _, check := range stuckFirst(failing) {
		writeCheck(&text, check)
	}
	if len(r.Checks) == 0 {
		text.WriteString("  nothing could be observed before the gate ended\n")
	}
	if hidden > 0 {
		fmt.Fprintf(&text, "  %d more: not listed, they cannot pass before the above\n", hidden)
	}
	if r.Ending == EndedTimeout && r.TimeoutKey != "" {
		fmt.Fprintf(&text, "  deadline: %s is %s; raise it only if the above needs nothing but more time\n",
			r.TimeoutKey, r.Timeout.Duration)
	}
	return text.String()
}

// describeEnding says why and after how long the gate ended without opening.
func (r Result) describeEnding() string {
	switch r.Ending {
	case EndedStuck:
		return fmt.Sprintf("stuck after %s, waiting longer cannot help", r.Elapsed.Duration)
	case EndedInterrupted:
		return fmt.Sprintf("interrupted after %s", r.Elapsed.Duration)
	default:
		return fmt.Sprintf("timed out after %s", r.Elapsed.Duration)
	}
}

// Warnings returns the passing checks of a gate that still need an action by a user, each as
// "CHECK: MESSAGE; FIX".
func (r Result) Warnings() (lines []string) {
	for _, check := range r.Checks {
		if check.warns() {
			lines = append(lines, check.warning())
		}
	}
	return lines
}

// warns reports whether a passing check has a Hint, a fix for a user.
func (v Verdict) warns() bool { return v.Passes() && v.State != Skipped && v.Hint != "" }

func (v Verdict) warning() string {
	return fmt.Sprintf("%s: %s; %s", v.Check, OneLine(v.Message), OneLine(v.Hint))
}

// remarks writes the warnings, skipped checks and measurements of a gate that opened.
func (r Result) remarks(text *strings.Builder) {
	for _, check := range r.Checks {
		switch {
		case check.State == Skipped:
			fmt.Fprintf(text, "  skipped %s: %s\n", check.Check, OneLine(check.Message))
		case check.warns():
			fmt.Fprintf(text, "  warning %s\n", check.warning())
		case r.measures && check.Message != "":
			fmt.Fprintf(text, "  %s: %s\n", check.Check, OneLine(check.Message))
		}
	}
}

func stuckFirst(checks []Verdict) []Verdict {
	sorted := make([]Verdict, 0, len(checks))
	for _, wanted := range []State{Stuck, Waiting} {
		for _, check := range checks {
			if check.State == wanted {
				sorted = append(sorted, check)
			}
		}
	}
	return sorted
}

func writeCheck(text *strings.Builder, check Verdict) {
	fmt.Fprintf(text, "  %s (%s): %s\n", check.Check, strings.ToLower(string(check.State)),
		OneLine(check.Message))
	if check.Cause != "" {
		fmt.Fprintf(text, "    cause: %s\n", OneLine(check.Cause))
	}
	for _, evidence := range check.Evidence {
		lines := strings.Split(strings.TrimSpace(evidence), "\n")
		if left := len(lines) - evidenceLines; left > 0 {
			lines = append([]string{fmt.Sprintf("(%d earlier lines left out)", left)},
				lines[left:]...)
		}
		fmt.Fprintf(text, "    evidence: %s\n", strings.Join(lines, "\n      "))
	}
	if check.Hint != "" {
		fmt.Fprintf(text, "    fix: %s\n", OneLine(check.Hint))
	}
}
