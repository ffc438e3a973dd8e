package build

import (
	"fmt"
	"math"
	"strings"
)

// Weights holds the measured costs of parts from empty caches, by the parts' names (`make
// bench-first`).
type Weights map[string]Weight

// Weight is the cost of one part.
type Weight struct {
	// Processor is the part's processor time in seconds on the machine that measured.
	Processor float64 `json:"processor"`
	// Wall is the part's duration on that machine, in seconds. Only parts that wait more than they
	// compute have it.
	Wall float64 `json:"wall,omitempty"`
}

const (
	// unknownWeight, in seconds, is the weight of an unmeasured part.
	unknownWeight = 10.0
	// doubt is the weight, in seconds, that the table's costs keep against this run's measurements.
	doubt = 10.0
	// leastRate is the lowest rate in cores: a machine that gives no processor time at the moment
	// will give some later.
	leastRate = 0.2
)

// of returns the weight of a part.
func (w Weights) of(part Part) Weight {
	if weight, known := w[part.Name]; known {
		return weight
	}
	return Weight{Processor: unknownWeight}
}

// Rest estimates the remaining seconds of a run. It takes the table's costs of the remaining parts,
// scaled by the error of the table for the finished parts, at the recent rate of cores.
func (w Weights) Rest(m Moment) float64 {
	expected, begun := 0.0, 0.0
	for _, download := range []bool{true, false} {
		scale := w.scale(m, download)
		expected += scale * w.sum(m.Waiting, download)
		begun += scale * w.sum(m.Running, download)
	}
	// A running part always counts some remaining cost, so that the estimate is not "0" for
	// minutes. A part that has exceeded its expected cost counts the same cost again.
	spent := w.spentOnRunning(m)
	left := expected + max(begun-spent, begun/20, spent-begun)
	return max(left/max(m.Rate, leastRate), w.longestBeside(m))
}

// scale returns the ratio of this run's costs to the table's for one kind of parts: downloads or
// builds.
func (w Weights) scale(m Moment, downloads bool) float64 {
	spent, weight := w.done(m, downloads)
	if !downloads {
		// The first compiled part ends after minutes. Until then a slow machine shows in its
		// downloads, which also take processor time. A fast machine does not, because a cached
		// download costs nothing.
		if more, of := w.done(m, true); more > of {
			spent, weight = spent+more, weight+of
		}
	}
	spent, weight = spent+doubt, weight+doubt
	// A running part shows only a lower bound of its cost, but shows it from the first second on.
	if running := w.sum(m.Running, downloads); !downloads && running > 0 {
		return max(spent/weight, (spent+w.spentOnRunning(m))/(weight+running))
	}
	return spent / weight
}

// done returns the costs of the ended parts of a kind: in this run, and by the table.
func (w Weights) done(m Moment, downloads bool) (spent, weight float64) {
	for _, part := range m.Done {
		if isDownload(part) == downloads && !part.Always {
			spent += part.Processor
			weight += w.of(part).Processor
		}
	}
	return spent, weight
}

// spentOnRunning returns the processor time of the run without that of its ended parts.
func (w Weights) spentOnRunning(m Moment) float64 {
	spent := m.Processor
	for _, part := range m.Done {
		spent -= part.Processor
	}
	return max(spent, 0)
}

func (w Weights) sum(parts []Part, downloads bool) float64 {
	sum := 0.0
	for _, part := range parts {
		if isDownload(part) == downloads {
			sum += w.of(part).Processor
		}
	}
	return sum
}

// longestBeside returns the longest remaining duration of the parts that wait more than they
// compute. More cores do not make these faster.
func (w Weights) longestBeside(m Moment) float64 {
	longest := 0.0
	for _, part := range m.Waiting {
		longest = max(longest, w.of(part).Wall)
	}
	for _, part := range m.Running {
		longest = max(longest, w.of(part).Wall-(m.At-part.Began))
	}
	return longest
}

func isDownload(part Part) bool { return strings.HasPrefix(part.Name, DownloadOf("")) }

// roughly formats a duration for users, no more precisely than it is known.
func roughly(seconds float64) string {
	if seconds < 55 {
		return fmt.Sprintf("about %.0f s", max(5, 5*math.Round(seconds/5)))
	}
	return fmt.Sprintf("about %.0f min", math.Round(seconds/60))
}
