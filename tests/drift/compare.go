package drift

import (
	"fmt"
	"slices"
	"strings"
)

// These are the signs of a difference: a fact of the lab's stand-in only, and one of upstream only.
const (
	OnlyStandIn  = "- "
	OnlyOriginal = "+ "
)

// Known is a difference that is known, with a reason.
type Known struct {
	// Fact is the difference with its sign. A * at its end matches any rest.
	Fact string
	// Why explains why the difference is harmless, or what the stand-in lacks.
	Why string
}

// Report lists the differences between a stand-in and the upstream artifact, sorted by fact.
type Report struct {
	// Unknown are differences without a reason. Outdated are known differences that do not occur.
	Unknown, Outdated []string
	// Explained are known differences, with their reasons.
	Explained []string
}

// Compare compares two sets of facts. It ignores their order and repetitions.
func Compare(standIn, original []string, known []Known) Report {
	var report Report
	used := map[string]bool{}
	for _, difference := range differences(standIn, original) {
		i := slices.IndexFunc(known, func(k Known) bool { return k.matches(difference) })
		if i < 0 {
			report.Unknown = append(report.Unknown, difference)
			continue
		}
		used[known[i].Fact] = true
		report.Explained = append(report.Explained,
			fmt.Sprintf("%s (%s)", difference, known[i].Why))
	}
	for _, k := range known {
		if !used[k.Fact] {
			report.Outdated = append(report.Outdated, k.Fact)
		}
	}
	slices.Sort(report.Outdated)
	return report
}

// differences returns the facts that only one side has, with their signs, sorted by fact.
func differences(standIn, original []string) []string {
	var found []string
	for _, side := range []struct {
		sign        string
		has, others []string
	}{{OnlyStandIn, standIn, original}, {OnlyOriginal, original, standIn}} {
		for _, fact := range side.has {
			if !slices.Contains(side.others, fact) {
				found = append(found, side.sign+fact)
			}
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		return strings.Compare(a[len(OnlyStandIn):]+a, b[len(OnlyStandIn):]+b)
	})
	return slices.Compact(found)
}

func (k Known) matches(difference string) bool {
	start, open := strings.CutSuffix(k.Fact, "*")
	return difference == k.Fact || open && strings.HasPrefix(difference, start)
}
