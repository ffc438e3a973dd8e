package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"strata/internal/files/atomicfile"
	"strata/tests/bench"
)

// These are the targets of a first `make up`: times in seconds, and the relative error of an
// estimate of the remaining time.
const (
	processorTarget, wallTarget = 20 * 60, 15 * 60
	estimateTarget              = 0.3
	// leastShare is the least share of a part with a result of its own. Smaller parts share one.
	leastShare = 0.01
)

// write writes the results to a file.
func write(path string, spent cost, built record) error {
	results := []bench.Result{
		bench.Most("first_up_processor_time", "s", 0.5, processorTarget,
			[]float64{spent.processor}),
		bench.Most("first_up_wall", "s", 0.5, wallTarget, []float64{spent.wall}),
		bench.Most("first_up_others", "ratio", 0.5, 0, []float64{spent.others}),
	}
	if offs := estimates(built); len(offs) > 0 {
		results = append(results, bench.Most("first_up_estimate_off", "ratio", 0.95,
			estimateTarget, offs))
	}
	for name, share := range shares(spent, built) {
		results = append(results, bench.Most("first_up_share/"+name, "ratio", 0.5, 0,
			[]float64{share}))
	}
	return bench.Replace(path, "first_up_share", results)
}

// shares returns each part's share of the whole processor time. All downloads count as one part,
// and so do all small parts. The part "up" is all time outside the lab's build, mostly the update.
func shares(spent cost, built record) map[string]float64 {
	shares := map[string]float64{"up": 1}
	for _, part := range built.Parts {
		share := part.Processor / spent.processor
		shares["up"] -= share
		switch {
		case strings.HasPrefix(part.Name, "download/"):
			shares["downloads"] += share
		case share < leastShare:
			shares["small_parts"] += share
		default:
			shares[part.Name] = share
		}
	}
	return shares
}

// slack is the absolute error of an estimate, in seconds, that does not count as an error.
const slack = 30

// estimates returns the sorted relative errors of a build's estimates of its remaining time.
// Estimates in the first tenth of the build do not count.
func estimates(built record) []float64 {
	end := 0.0
	for _, part := range built.Parts {
		end = max(end, part.Ended)
	}
	var offs []float64
	for _, sample := range built.Samples {
		if left := end - sample.At; sample.At >= end/10 && left > 0 {
			offs = append(offs, max(0, math.Abs(sample.Rest-left)-slack)/max(left, slack))
		}
	}
	slices.Sort(offs)
	return offs
}

// weight is the cost of a part, in seconds, that the lab expects (tests/lab/internal/build).
type weight struct {
	Processor float64 `json:"processor"`
	Wall      float64 `json:"wall,omitempty"`
}

// writeWeights writes the measured costs into the lab's table. Parts that this build did not build
// keep their weight.
func writeWeights(path string, built record) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	weights := map[string]weight{}
	if err := json.Unmarshal(text, &weights); err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	for _, part := range built.Parts {
		measured := weight{Processor: tenths(part.Processor)}
		if part.Beside {
			measured.Wall = tenths(part.Ended - part.Began)
		}
		weights[part.Name] = measured
	}
	if text, err = json.MarshalIndent(weights, "", " "); err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	return atomicfile.Write(path, append(text, '\n'), 0o644)
}

func tenths(value float64) float64 { return math.Round(10*value) / 10 }
