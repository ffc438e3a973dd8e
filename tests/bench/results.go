package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"strata/internal/files/atomicfile"
)

// Result is one measured number.
type Result struct {
	// Name identifies the number, for example gate_lag_p95; the text after a slash names a part.
	Name string `json:"name"`
	// Value is the number in Unit.
	Value float64 `json:"value"`
	// Unit is ms, s, ratio, or the counted thing, for example requests.
	Unit string `json:"unit"`
	// Target is the largest good Value, with AtLeast the smallest one; nil without a target.
	Target  *float64 `json:"target,omitempty"`
	AtLeast bool     `json:"atLeast,omitempty"`
	// Subject optionally names the measured program, if several programs can be measured.
	Subject string `json:"subject,omitempty"`
	// Point places the number on a curve; nil for a single number.
	Point *Point `json:"point,omitempty"`
	// Samples are the raw measurements behind Value, in Unit and in the order of measurement.
	Samples []float64 `json:"samples"`
	// Machine names the machine of the measurement.
	Machine string `json:"machine"`
	// Measured is the day of the measurement, in UTC.
	Measured time.Time `json:"measured"`
}

// Point is the position of a result on a curve.
type Point struct {
	// Curve names the curve, for example up.
	Curve string `json:"curve"`
	// Of names the quantity that grows, for example workloads; X is its value.
	Of string  `json:"of"`
	X  float64 `json:"x"`
}

// Met reports whether a result meets its target; true without a target.
func (r Result) Met() bool {
	switch {
	case r.Target == nil:
		return true
	case r.AtLeast:
		return r.Value >= *r.Target
	}
	return r.Value <= *r.Target
}

// Most returns a result whose value is a quantile (0 to 1) of samples. The value must be at most
// target; a target of 0 means that there is none.
func Most(name, unit string, quantile, target float64, samples []float64) Result {
	r := Result{Name: name, Unit: unit, Value: Quantile(samples, quantile), Samples: samples,
		Machine: machine(), Measured: time.Now().UTC().Truncate(time.Second)}
	if target > 0 {
		r.Target = &target
	}
	return r
}

// Least is Most for a value that must be at least target.
func Least(name, unit string, quantile, target float64, samples []float64) Result {
	r := Most(name, unit, quantile, target, samples)
	r.AtLeast = true
	return r
}

// None returns a count with target zero.
func None(name, unit string, count float64) Result {
	r := Most(name, unit, 0.5, 0, []float64{count})
	r.Target = new(float64)
	return r
}

// On returns the median of samples as a point of a curve. Its name contains the curve, the growing
// quantity and its value x, padded so that names sort by x.
func On(curve, of string, x int, unit string, samples []float64) Result {
	r := Most(fmt.Sprintf("%s/%s=%04d", curve, of, x), unit, 0.5, 0, samples)
	r.Point = &Point{Curve: curve, Of: of, X: float64(x)}
	return r
}

// Quantile returns the nearest-rank quantile of samples; NaN if there are none.
func Quantile(samples []float64, quantile float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	rank := int(math.Ceil(quantile*float64(len(sorted)))) - 1
	return sorted[max(rank, 0)]
}

// Read reads a file of results. For a missing file, it returns no results and no error.
func Read(path string) ([]Result, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	var results []Result
	if err := json.Unmarshal(text, &results); err != nil {
		return nil, fmt.Errorf("results %s: %w", path, err)
	}
	return results, nil
}

// Merge writes results into the file, sorted by name. Results with other names stay in the file.
func Merge(path string, results []Result) error {
	return write(path, results, func(string) bool { return false })
}

// Replace is Merge for a result whose parts may change. It also removes the results of the file
// whose names begin with base and a slash, unless they are among results.
func Replace(path, base string, results []Result) error {
	return write(path, results, func(name string) bool { return strings.HasPrefix(name, base+"/") })
}

func write(path string, results []Result, gone func(name string) bool) error {
	old, err := Read(path)
	if err != nil {
		return err
	}
	byName := map[string]Result{}
	for _, r := range slices.Concat(slices.DeleteFunc(old, func(r Result) bool { return gone(r.Name) }), results) {
		byName[r.Name] = r
	}
	all := slices.SortedFunc(maps.Values(byName),
		func(a, b Result) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return atomicfile.Write(path, append(text, '\n'), 0o644)
}
