package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"strata/internal/files/atomicfile"
	"strata/tests/bench"
)

const (
	reportFile  = gatesFolder + "/mutants.md"
	resultsFile = "bench/results.json"
)

// report writes the number of killed mutants of each folder, the survivors, and the ratio of killed
// mutants. Equivalents do not count.
func report(tried []*mutant, known equivalents) error {
	type count struct{ all, killed, equivalent int }
	counts, total := map[string]*count{}, count{}
	var survivors, same strings.Builder
	for _, m := range tried {
		folder := filepath.Dir(m.file)
		if counts[folder] == nil {
			counts[folder] = &count{}
		}
		for _, c := range []*count{counts[folder], &total} {
			c.all++
			switch {
			case m.killed:
				c.killed++
			case known[m.name()] != "":
				c.equivalent++
			}
		}
		switch reason := known[m.name()]; {
		case m.killed:
		case reason != "":
			fmt.Fprintf(&same, "- `%s`: %s\n", m.name(), reason)
		default:
			fmt.Fprintf(&survivors, "- `%s`\n", m.name())
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text,
		"# Mutants of the gates' judgement\n\nWritten by `make mutants` (tests/gates/mutants). "+
			"Killed: %d of %d; equivalent: %d; left: %d.\n\n",
		total.killed, total.all, total.equivalent, total.all-total.killed-total.equivalent)
	text.WriteString("| folder | mutants | killed | equivalent |\n| --- | ---: | ---: | ---: |\n")
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&text, "| %s | %d | %d | %d |\n", folder, counts[folder].all,
			counts[folder].killed,
			counts[folder].equivalent)
	}
	section(&text, "Survivors", survivors.String())
	section(&text, "Equivalents", same.String())
	if err := atomicfile.Write(reportFile, []byte(text.String()), 0o644); err != nil {
		return err
	}
	ratio := float64(total.killed) / float64(total.all-total.equivalent)
	return bench.Merge(resultsFile,
		[]bench.Result{bench.Least("mutants_killed_ratio", "ratio", 0.5, 1, []float64{ratio})})
}

func section(text *strings.Builder, title, lines string) {
	if lines != "" {
		fmt.Fprintf(text, "\n## %s\n\n%s", title, lines)
	}
}
