package main

import (
	"fmt"
	"os"
	"strings"
)

// report writes the result, file by file, and fails if a mutant survives.
func (c *changer) report(path string) error {
	type count struct{ all, killed int }
	counts, order := map[string]*count{}, []string{}
	var survivors []*mutant
	total := count{}
	for _, m := range c.mutants {
		if counts[m.file] == nil {
			counts[m.file] = &count{}
			order = append(order, m.file)
		}
		counts[m.file].all++
		total.all++
		if m.killed {
			counts[m.file].killed++
			total.killed++
		} else {
			survivors = append(survivors, m)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# Mutants of the gates' judgement\n\nWritten by `make mutants` (tests/gates/mutants). Killed: %d of %d.\n\n", total.killed, total.all)
	text.WriteString("| file | mutants | killed |\n| --- | ---: | ---: |\n")
	for _, file := range order {
		fmt.Fprintf(&text, "| %s | %d | %d |\n", file, counts[file].all, counts[file].killed)
	}
	if len(survivors) > 0 {
		text.WriteString("\n## Survivors\n\n")
	}
	for _, m := range survivors {
		fmt.Fprintf(&text, "- %s:%d %s: %s\n", m.file, m.line, m.function, m.change)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	fmt.Printf("mutants: %d of %d killed\n", total.killed, total.all)
	if len(survivors) > 0 {
		return fmt.Errorf("%d survive, see %s", len(survivors), path)
	}
	return nil
}
