package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"strata/internal/atomicfile"
)

// Result is one measured number.
type Result struct {
	// Name identifies the number, for example gate_lag_p95.
	Name string `json:"name"`
	// Value is the number in Unit.
	Value float64 `json:"value"`
	// Unit is ms, s, or ratio.
	Unit string `json:"unit"`
	// Target is what Value should be; nil where there is no promise. More is better only for names that say so in their docs.
	Target *float64 `json:"target,omitempty"`
	// Samples are the raw measurements that Value sums up, in Unit and in their order.
	Samples []float64 `json:"samples"`
	// Machine is what it was measured on.
	Machine string `json:"machine"`
	// Measured is when, in UTC.
	Measured time.Time `json:"measured"`
}

// Most returns a result whose value is the given quantile (0 to 1) of its samples and must be at most target; a target of 0 is
// no target.
func Most(name, unit string, quantile, target float64, samples []float64) Result {
	r := Result{Name: name, Unit: unit, Value: Quantile(samples, quantile), Samples: samples, Machine: machine(), Measured: time.Now().UTC().Truncate(time.Second)}
	if target > 0 {
		r.Target = &target
	}
	return r
}

// Quantile is the nearest-rank quantile of samples; NaN when there are none.
func Quantile(samples []float64, quantile float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	rank := int(math.Ceil(quantile*float64(len(sorted)))) - 1
	return sorted[max(rank, 0)]
}

// Merge writes results into the file, in the order of their names; those of other names that the file has stay.
func Merge(path string, results []Result) error {
	byName := map[string]Result{}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return fmt.Errorf("results: %w", err)
	default:
		var old []Result
		if err := json.Unmarshal(text, &old); err != nil {
			return fmt.Errorf("results %s: %w", path, err)
		}
		for _, r := range old {
			byName[r.Name] = r
		}
	}
	for _, r := range results {
		byName[r.Name] = r
	}
	all := make([]Result, 0, len(byName))
	for _, r := range byName {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Result) int { return strings.Compare(a.Name, b.Name) })
	if text, err = json.MarshalIndent(all, "", "  "); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return atomicfile.Write(path, append(text, '\n'), 0o644)
}

// machine describes this machine: cores, memory, kernel.
func machine() string {
	kernel, memory := "unknown kernel", "unknown memory"
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel = "Linux " + strings.TrimSpace(string(text))
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib int
		if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); err == nil {
			memory = fmt.Sprintf("%d GiB", int(math.Round(float64(kib)/(1<<20))))
		}
	}
	return fmt.Sprintf("%d cores, %s, %s, %s", runtime.NumCPU(), memory, kernel, runtime.GOARCH)
}
