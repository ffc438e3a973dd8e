package build

import (
	"fmt"
	"math"
	"strings"
)

// Weights holds the costs of parts from empty caches, by their names, as measured (`make
// bench-first`).
type Weights map[string]Weight

// Weight is the cost of one part.
type Weight struct {
	// Processor is its processor time in seconds, of the machine that measured.
	Processor float64 `json:"processor"`
	// Wall is the duration there, in seconds; only of parts that wait more than they compute.
	Wall float64 `json:"wall,omitempty"`
}

const (
	// unknownWeight, in seconds, is the weight of an unmeasured part.
	unknownWeight = 10.0
	// doubt is the weight in seconds of the table's costs, before a run has shown anything.
	doubt = 10.0
	// leastRate is in cores: a machine that gives nothing at the moment will give something.
	leastRate = 0.2
)

// of returns the weight of a part.
func (w Weights) of(part Part) Weight {
	if weight, known := w[part.Name]; known {
		return weight
	}
	return Weight{Processor: unknownWeight}
}

// Rest estimates the rest of a run in seconds. It takes the table's costs of the remaining parts,
// scaled by the error of the finished ones, at the recent rate of cores.
func (w Weights) Rest(m Moment) float64 {
	expected, begun := 0.0, 0.0
	for _, download := range []bool{true, false} {
		scale := w.scale(m, download)
		expected += scale * w.sum(m.Waiting, download)
		begun += scale * w.sum(m.Running, download)
	}
	// A running part always has a little left; one that has cost more than expected has as much
	// again: no estimate is "0" for minutes.
	spent := w.spentOnRunning(m)
	left := expected + max(begun-spent, begun/20, spent-begun)
	return max(left/max(m.Rate, leastRate), w.longestBeside(m))
}

// scale returns the ratio of this run's costs to the table's, for parts of a kind, downloads or
// builds.
func (w Weights) scale(m Moment, downloads bool) float64 {
	spent, weight := w.done(m, downloads)
	if !downloads {
		// The first compiled part ends after minutes. Until then a slow machine shows in its
		// downloads, which take processor time, too. A fast one does not, for a cached download
		// costs nothing.
		if more, of := w.done(m, true); more > of {
			spent, weight = spent+more, weight+of
		}
	}
	spent, weight = spent+doubt, weight+doubt
	// A running part shows only a lower bound, but from the first second on.
	if running := w.sum(m.Running, downloads); !downloads && running > 0 {
		return max(spent/weight, (spent+w.spentOnRunning(m))/(weight+running))
	}
	return spent / weight
}

// done returns the costs of the ended parts of a kind, in this run and by the table.
func (w Weights) done(m Moment, downloads bool) (spent, weight float64) {
	for _, part := range m.Done {
		if isDownload(part) == downloads && !part.Always {
			spent += part.Processor
			weight += w.of(part).Processor
		}
	}
	return spent, weight
}

// spentOnRunning returns the processor time that no ended part accounts for.
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

// longestBeside returns the duration of the parts that wait more than they compute, as no core
// makes them faster.
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

// roughly is a time for people, no finer than it is known.
func roughly(seconds float64) string {
	if seconds < 55 {
		return fmt.Sprintf("about %.0f s", max(5, 5*math.Round(seconds/5)))
	}
	return fmt.Sprintf("about %.0f min", math.Round(seconds/60))
}
