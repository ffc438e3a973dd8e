package build

import (
	"fmt"
	"math"
	"strings"
)

// Weights maps the name of a part, which is a step or a download, to its measured cost. `make
// bench-first` measures the costs with empty caches.
type Weights map[string]Weight

// Weight is the cost of one part.
type Weight struct {
	// Processor is the part's processor time, in seconds, on the machine that measured it.
	Processor float64 `json:"processor"`
	// Wall is the part's elapsed time, in seconds, on that machine. It is set only for parts that
	// mostly wait, such as package installations.
	Wall float64 `json:"wall,omitempty"`
}

const (
	// unknownWeight is the assumed processor time, in seconds, of a part without a measurement.
	unknownWeight = 10.0
	// doubt is added to both the measured and the expected processor time, in seconds. It keeps the
	// first short parts of a run from changing the estimate much.
	doubt = 10.0
	// leastRate is the lowest number of cores that an estimate assumes for a run. A machine without
	// a free core now will have one later.
	leastRate = 0.2
)

// of returns the weight of a part, or unknownWeight if the part was not measured.
func (w Weights) of(part Part) Weight {
	if weight, known := w[part.Name]; known {
		return weight
	}
	return Weight{Processor: unknownWeight}
}

// Rest estimates the remaining seconds of a run. It sums the expected costs of the remaining parts,
// and scales the sum by the ratio of measured to expected costs so far. It divides the result by
// the number of cores that the run used recently.
func (w Weights) Rest(m Moment) float64 {
	expected, begun := 0.0, 0.0
	for _, download := range []bool{true, false} {
		scale := w.scale(m, download)
		expected += scale * w.sum(m.Waiting, download)
		begun += scale * w.sum(m.Running, download)
	}
	// A running part always has some remaining cost, so that the estimate is not 0 for minutes. If
	// a part exceeds its expected cost, the excess counts as its remaining cost.
	spent := w.spentOnRunning(m)
	left := expected + max(begun-spent, begun/20, spent-begun)
	return max(left/max(m.Rate, leastRate), w.longestBeside(m))
}

// scale returns the ratio of this run's costs to the expected costs, for downloads or for builds.
func (w Weights) scale(m Moment, downloads bool) float64 {
	spent, weight := w.done(m, downloads)
	if !downloads {
		// The first build ends only after minutes. Until then, slow downloads show that the machine
		// is slow. Fast downloads show nothing, because a cached download costs nothing.
		if more, of := w.done(m, true); more > of {
			spent, weight = spent+more, weight+of
		}
	}
	spent, weight = spent+doubt, weight+doubt
	// The processor time of running parts is only a lower bound of their cost, but it is known from
	// the first second.
	if running := w.sum(m.Running, downloads); !downloads && running > 0 {
		return max(spent/weight, (spent+w.spentOnRunning(m))/(weight+running))
	}
	return spent / weight
}

// done returns the processor seconds of the ended downloads or builds: as measured in this run, and
// as expected.
func (w Weights) done(m Moment, downloads bool) (spent, weight float64) {
	for _, part := range m.Done {
		if isDownload(part) == downloads && !part.Always {
			spent += part.Processor
			weight += w.of(part).Processor
		}
	}
	return spent, weight
}

// spentOnRunning returns the run's processor seconds without those of ended parts.
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

// longestBeside returns the longest remaining time, in seconds, of the parts that mostly wait. More
// cores do not make these parts faster.
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

// roughly formats a duration for users: rounded to 5 seconds, or to minutes from 55 seconds on.
func roughly(seconds float64) string {
	if seconds < 55 {
		return fmt.Sprintf("about %.0f s", max(5, 5*math.Round(seconds/5)))
	}
	return fmt.Sprintf("about %.0f min", math.Round(seconds/60))
}
