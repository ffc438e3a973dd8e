package bench

import "strings"

// Trial describes an experiment that several tests repeat, and names its two counts.
type Trial struct {
	// tried and came are the names of the counts of trials and outcomes. unit is the counted thing.
	tried, came, unit string
	// least is the target for the number of all trials; 0 for none. good is true if every trial
	// should have the outcome, false if no trial should.
	least float64
	good  bool
}

// Kills counts interrupted commands, and those that converged when they were run again. Histories
// counts random sequences of operations, and those that violated an invariant.
var (
	Kills     = Trial{tried: "kills_tried", came: "kills_converged", unit: "kills", good: true}
	Histories = Trial{tried: "histories_checked", came: "histories_violated", unit: "histories",
		least: 1020}
)

// Tally writes the counts of one part, for example engine/local, into the file, and then the sums
// of all parts.
func Tally(path, part string, of Trial, tried, came int) error {
	if err := Merge(path,
		[]Result{count(of.tried+"/"+part, of.unit, float64(tried)),
			count(of.came+"/"+part, of.unit, float64(came))}); err != nil {
		return err
	}
	all, err := Read(path)
	if err != nil {
		return err
	}
	triedInAll, cameInAll := sum(all, of.tried), sum(all, of.came)
	total := Least(of.tried, of.unit, 0.5, of.least, []float64{triedInAll})
	outcome := None(of.came, of.unit, cameInAll)
	if of.good {
		outcome = Least(of.came, of.unit, 0.5, triedInAll, []float64{cameInAll})
	}
	return Merge(path, []Result{total, outcome})
}

// count returns a result without a target.
func count(name, unit string, value float64) Result {
	return Most(name, unit, 0.5, 0, []float64{value})
}

// sum returns the sum of a result's parts.
func sum(all []Result, name string) float64 {
	total := 0.0
	for _, r := range all {
		if strings.HasPrefix(r.Name, name+"/") {
			total += r.Value
		}
	}
	return total
}
