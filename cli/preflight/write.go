package preflight

import (
	"fmt"
	"io"
	"strings"

	"strata/health"
	"strata/internal/text/table"
)

// Write prints a line for each finding with a message, and for each subject a line with the number
// of its other findings. Then it prints the fix of each failure.
func Write(out io.Writer, findings []Finding) error {
	rows := table.New(out, "SUBJECT", "CHECK", "STATE", "FOUND")
	groups, order := map[string]*group{}, []string{}
	for _, f := range findings {
		if groups[f.Subject] == nil {
			groups[f.Subject] = &group{failed: map[string]bool{}}
			order = append(order, f.Subject)
		}
		groups[f.Subject].add(f)
	}
	var fixes strings.Builder
	for _, subject := range order {
		g := groups[subject]
		for _, f := range g.listed {
			rows.Row(subject, f.Check, string(f.State), f.Message)
			if f.Hint != "" {
				fmt.Fprintf(&fixes, "%s, %s: %s\n", subject, f.Check,
					strings.Join(nonEmpty(f.Cause, f.Hint), "; "))
			}
		}
		if g.behind > 0 {
			rows.Row(subject, fmt.Sprintf("%d checks", g.behind), string(health.Waiting),
				"behind the above")
		}
		if g.ready > 0 {
			rows.Row(subject, fmt.Sprintf("%d checks", g.ready), string(health.Ready), "")
		}
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, fixes.String())
	return err
}

// group holds the table rows of the findings with one Subject.
type group struct {
	listed        []Finding
	failed        map[string]bool
	ready, behind int
}

// add appends a row for a finding. A ready finding without a hint, and a finding that depends on a
// failed check, only add to a count.
func (g *group) add(f Finding) {
	switch {
	case f.State == health.Ready && f.Hint == "":
		g.ready++
		return
	case f.State == health.Waiting && g.isBehind(f):
		g.behind++
		return
	case !f.Passes():
		g.failed[f.Check] = true
	}
	g.listed = append(g.listed, f)
}

func (g *group) isBehind(f Finding) bool {
	for _, name := range f.After {
		if g.failed[name] {
			return true
		}
	}
	return false
}

func nonEmpty(texts ...string) []string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return kept
}
