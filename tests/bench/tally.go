package bench

import "strings"

// Trial is a repeated experiment in several places, with its count of outcomes.
type Trial struct {
	// tried and came are the names of the two counts, unit the counted objects.
	tried, came, unit string
	// least is the promised total, 0 for no promise. good is true if outcomes should occur, false
	// if they should not.
	least float64
	good  bool
}

// Kills counts interruptions of a command, and how many of them the same command converged after.
// Histories counts programs of operations, and how many violated an invariant.
var (
	Kills     = Trial{tried: "kills_tried", came: "kills_converged", unit: "kills", good: true}
	Histories = Trial{tried: "histories_checked", came: "histories_violated", unit: "histories",
		least: 1020}
)

// Tally writes the counts of one part into the file, for example engine/local, and the sums of all
// parts.
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

// count returns a number without a promise.
func count(name, unit string, value float64) Result {
	return Most(name, unit, 0.5, 0, []float64{value})
}

// sum adds a number's parts.
func sum(all []Result, name string) float64 {
	total := 0.0
	for _, r := range all {
		if strings.HasPrefix(r.Name, name+"/") {
			total += r.Value
		}
	}
	return total
}
